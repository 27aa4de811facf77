/**
 * The answer of the `_stream` endpoints: one event for each text of each prompt, interleaved as they
 * come, at the pace of the client. Every `data:` line is one JSON object; the stream ends with the
 * body, without a last word.
 *
 * The head waits for the first text of any prompt, so that a request that fails has its real status.
 * If all are silent the head goes out with a comment, and later failures go in-band.
 */
import { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import { eventStreamHeaders } from '#http/event-stream.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Ticker } from '#lib/ticker.ts'
import { metadataOf, type AnswerEnd, type AnswerSink } from './answer-sink.ts'
import type { SessionRecord } from '../model-session.ts'
import { Outbox } from './outbox.ts'
import type { Payload } from '../request/payload.ts'
import { promptError } from './whole-answer.ts'

export interface TokenStreamOptions {
  readonly context: RequestContext
  readonly record: SessionRecord
  readonly ticker: Ticker
  readonly payload: Payload
  readonly keepaliveSeconds: number
  /** When so many prompts have failed and none has said anything, the request has failed. */
  readonly giveUpAt: number
  /** The client has not read for a while: its prompts give their places to others. */
  readonly stalled: () => void
  /** The client reads no more: everything under way has to end. */
  readonly abandon: (reason: ApiError) => void
}

interface Failure {
  readonly index: number
  readonly error: ApiError
}

/** How long a client may take its time before others go ahead of it. */
const stallMs = 1000
const keepalive = new TextEncoder().encode(': keep-alive\n\n')

export class TokenStream implements AnswerSink {
  readonly #options: TokenStreamOptions
  readonly #outbox = new Outbox()
  readonly #opening = Promise.withResolvers<void>()
  readonly #failures: Failure[] = []
  readonly #body: ReadableStream<Uint8Array>
  #controller!: ReadableStreamDefaultController<Uint8Array>
  /** The head is on its way: what happens from now on goes out as events. */
  #opened = false
  #answered = 0
  #finished = false
  #waiting = false
  #over = false
  #sentAt: number
  #held: DisposableStack | null = null

  constructor(options: TokenStreamOptions) {
    this.#options = options
    this.#sentAt = options.context.clock.elapsed()
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#pull(),
        cancel: () => this.#clientLeft(),
      },
      // Zero: nothing is taken before the client asks for it.
      { highWaterMark: 0 },
    )
  }

  /** Resolves when there is something to send or all have been silent for a while; throws when the request has failed before. */
  async open(): Promise<void> {
    const timer = setTimeout(() => this.#opening.resolve(), this.#options.keepaliveSeconds * 1000)
    try {
      await this.#opening.promise
    } finally {
      clearTimeout(timer)
    }
    this.#open()
  }

  /** The answer, which from now on owns what the request holds. */
  respond(held: DisposableStack): Response {
    const { context, ticker } = this.#options
    this.#held = held
    ticker.add(this.#tick)
    held.defer(() => ticker.delete(this.#tick))
    // A client that goes while nothing is sent to it is heard of here first.
    const left = (): void => this.#clientLeft()
    context.signal.addEventListener('abort', left)
    held.defer(() => context.signal.removeEventListener('abort', left))
    return context.respond(this.#body, { status: 200, headers: { ...eventStreamHeaders } })
  }

  texts(index: number, texts: readonly string[]): Promise<void> {
    this.#options.record.firstToken()
    this.#opening.resolve()
    return this.#outbox.put(tokenEvents(index, texts))
  }

  async done(index: number, end: AnswerEnd): Promise<void> {
    this.#answered += 1
    const { wantsMetadata } = this.#options.payload
    if (!end.incomplete && !wantsMetadata) return
    this.#opening.resolve()
    const last = {
      text: '',
      batch_id: index,
      ...(end.incomplete && { incomplete: true }),
      ...(wantsMetadata && { metadata: metadataOf(end) }),
    }
    return this.#outbox.put(event(last))
  }

  async failed(index: number, error: ApiError): Promise<void> {
    this.#failures.push({ index, error })
    if (this.#opened) return this.#sendFailure({ index, error })
    if (this.#answered === 0 && this.#failures.length >= this.#options.giveUpAt) this.#refuse()
  }

  finished(): void {
    if (!this.#opened && this.#answered === 0 && this.#failures.length > 0) this.#refuse()
    this.#opening.resolve()
    // Failures that wait for the head are sent by it.
    if (this.#opened) this.#outbox.end()
    this.#finished = true
  }

  #open(): void {
    this.#opened = true
    for (const failure of this.#failures) void this.#sendFailure(failure)
    if (this.#finished) this.#outbox.end()
  }

  /** Has no effect once something has been said. */
  #refuse(): void {
    const [first] = this.#failures
    if (first === undefined) return
    this.#opening.reject(this.#options.payload.isBatch ? promptError(first.index, first.error) : first.error)
  }

  #sendFailure({ index, error }: Failure): Promise<void> {
    this.#options.record.fail(error)
    return this.#outbox.put(
      Buffer.from(`event: error\ndata: ${JSON.stringify({ ...errorBody(error), batch_id: index })}\n\n`),
    )
  }

  async #pull(): Promise<void> {
    this.#waiting = true
    const bytes = await this.#outbox.take()
    this.#waiting = false
    if (this.#over) return
    if (bytes !== null) return this.#send(bytes)
    this.#release()
    this.#controller.close()
  }

  readonly #tick = (): void => {
    const { context, keepaliveSeconds, stalled } = this.#options
    const silentMs = context.clock.elapsed() - this.#sentAt
    if (!this.#waiting && silentMs >= stallMs) stalled()
    else if (this.#waiting && silentMs >= keepaliveSeconds * 1000) this.#send(keepalive)
  }

  #send(bytes: Uint8Array): void {
    this.#options.record.responseBytes += bytes.byteLength
    this.#options.record.content?.answer(bytes)
    this.#sentAt = this.#options.context.clock.elapsed()
    this.#controller.enqueue(bytes)
  }

  #clientLeft(): void {
    if (this.#over) return
    const gone = new ApiError('client_closed')
    this.#options.record.fail(gone)
    this.#options.abandon(gone)
    this.#outbox.drop()
    this.#release()
  }

  #release(): void {
    this.#over = true
    this.#options.context.restoreIdleTimeout()
    this.#held?.dispose()
  }
}

function tokenEvents(index: number, texts: readonly string[]): Uint8Array {
  return Buffer.from(texts.map((text) => `data: {"text":${JSON.stringify(text)},"batch_id":${index}}\n\n`).join(''))
}

function event(value: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
}
