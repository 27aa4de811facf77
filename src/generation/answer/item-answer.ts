/** The answer to one prompt: read from the upstream when the next text is asked for, and not before. */
import { ApiError } from '#errors/api-error.ts'
import { finishReading } from '#lib/http1/finish-reading.ts'
import { AnswerText } from './answer-text.ts'
import { EventReader } from './event-reader.ts'
import type { Flavour } from '../upstream/flavour.ts'
import type { OpenAnswer, TokenCounts } from '../model-session.ts'

export class ItemAnswer implements Disposable {
  readonly #answer: OpenAnswer
  readonly #events: EventReader
  readonly #text: AnswerText
  #first: readonly string[] | null = null
  #ended = false
  #failure: ApiError | null = null
  #held: DisposableStack | null = null

  private constructor(answer: OpenAnswer, flavour: Flavour) {
    this.#answer = answer
    this.#events = new EventReader(answer.eventBytesMax)
    this.#text = new AnswerText(flavour)
  }

  /** Resolves when the first text has come, or the answer has ended without any. Throws an ApiError when it fails before. */
  static async open(answer: OpenAnswer, flavour: Flavour): Promise<ItemAnswer> {
    const item = new ItemAnswer(answer, flavour)
    try {
      item.#first = await item.#read()
    } catch (thrown) {
      answer.reply.body.cancel()
      throw thrown
    }
    answer.watch.rest()
    item.#held = answer.takeOver()
    return item
  }

  /** Token counts, when the upstream told them. */
  get usage(): TokenCounts | null {
    return this.#text.usage
  }

  /** The answer ended because it was long enough, not because it was finished. */
  get isCutShort(): boolean {
    return this.#text.finishReason === 'length'
  }

  /** The next texts, one for each event of the upstream, or null at the end. Throws an ApiError when the answer breaks. */
  async next(): Promise<readonly string[] | null> {
    const first = this.#first
    if (first !== null) {
      this.#first = null
      return first
    }
    if (this.#ended) return null
    const { watch, idleSeconds } = this.#answer
    watch.expect('idle', idleSeconds)
    const texts = await this.#read()
    // The client may be slow to take them, which is not the upstream's silence.
    watch.rest()
    return texts
  }

  /** Gives up what has not been read. */
  [Symbol.dispose](): void {
    const { body } = this.#answer.reply
    // The body ends right after its last event: its connection is kept for the next prompt.
    if (this.#text.done) void finishReading(body)
    else body.cancel()
    this.#held?.dispose()
    this.#held = null
  }

  async #read(): Promise<readonly string[] | null> {
    while (!this.#ended) {
      // Thrown after the texts that came before it in the same bytes have been returned.
      if (this.#failure !== null) throw this.#failure
      const bytes = await this.#readBytes()
      const texts = bytes === null ? this.#end() : this.#textsIn(this.#events.push(bytes))
      this.#ended ||= this.#text.done
      if (this.#ended && this.#text.rest() !== '') texts.push(this.#text.rest())
      if (texts.length > 0) return texts
    }
    return null
  }

  #textsIn(events: readonly string[]): string[] {
    const texts: string[] = []
    for (const data of events) {
      const text = this.#textOf(data)
      if (text !== '') texts.push(text)
      if (this.#failure !== null) return texts
    }
    if (this.#events.oversized) {
      this.#failure = new ApiError('upstream_invalid_response', {
        message: 'The model provider sent an event that is larger than this gateway allows.',
      })
    }
    return texts
  }

  #textOf(data: string): string {
    try {
      const text = this.#text.take(data)
      if (this.#text.error !== null) this.#failure = brokenOff(this.#text.error)
      return text
    } catch (cause) {
      this.#failure = new ApiError('upstream_invalid_response', { cause })
      return ''
    }
  }

  #end(): string[] {
    const rest = this.#events.rest()
    const texts = rest === null ? [] : this.#textsIn([rest])
    if (this.#text.end()) this.#ended = true
    else this.#failure ??= new ApiError('upstream_stream_error')
    return texts
  }

  async #readBytes(): Promise<Uint8Array | null> {
    try {
      const next = this.#answer.reply.body.read()
      return next instanceof Promise ? await next : next
    } catch (thrown) {
      throw this.#answer.watch.reason ?? new ApiError('upstream_stream_error', { cause: thrown })
    }
  }
}

function brokenOff(said: string): ApiError {
  return new ApiError('upstream_stream_error', {
    message: said === '' ? undefined : `The model provider broke off: ${said}`,
  })
}
