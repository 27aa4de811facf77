/**
 * Reads the text out of an upstream's streamed answer, in the dialect that it speaks. What it says
 * beside its text is kept: token counts, why it ended, an error in the middle.
 */
import type { Flavour } from '../upstream/flavour.ts'
import type { TokenCounts } from '../model-session.ts'

export class AnswerText {
  /** The answer is complete; nothing after this counts. */
  done = false
  /** The upstream's own word that it cannot go on. */
  error: string | null = null
  usage: TokenCounts | null = null
  finishReason: string | null = null
  readonly #speaksInterface: boolean
  /** First half of a character whose second half is in the next event. */
  #half = ''

  constructor(flavour: Flavour) {
    this.#speaksInterface = flavour === 'takeoff'
  }

  /** The text of one event, which may be empty. Throws a SyntaxError for data that cannot be read. */
  take(data: string): string {
    if (this.done || this.error !== null) return ''
    return this.#whole(this.#speaksInterface ? this.#takeToken(data) : this.#takeChunk(data))
  }

  /** Called when the body has ended. Whether the answer was complete by then. */
  end(): boolean {
    if (this.error !== null) return false
    // The interface knows no terminator: a clean end of the body is the end of the answer.
    if (this.#speaksInterface || this.finishReason !== null) this.done = true
    return this.done
  }

  /** What was held back at the end. */
  rest(): string {
    return this.#half
  }

  #takeChunk(data: string): string {
    if (data.startsWith('[DONE]')) {
      this.done = true
      return ''
    }
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error) {
      this.error = errorText(chunk.error)
      return ''
    }
    if (chunk.usage) this.usage = countsOf(chunk.usage)
    const choice = chunk.choices?.[0]
    if (typeof choice?.finish_reason === 'string') this.finishReason = choice.finish_reason
    const text = choice?.delta?.content ?? choice?.text
    return typeof text === 'string' ? text : ''
  }

  /** Servers send an object for each token; older ones send the bare token when there is one prompt only. */
  #takeToken(data: string): string {
    let token: unknown
    try {
      token = JSON.parse(data)
    } catch {
      return data
    }
    if (typeof token !== 'object' || token === null) return data
    const { text, error } = token as { readonly text?: unknown; readonly error?: unknown }
    if (error) this.error = errorText(error)
    return typeof text === 'string' ? text : ''
  }

  /** Never ends inside a surrogate pair. */
  #whole(text: string): string {
    if (text === '') return ''
    const all = this.#half + text
    const isCut = (all.charCodeAt(all.length - 1) & 0xfc00) === 0xd800
    this.#half = isCut ? all.slice(-1) : ''
    return isCut ? all.slice(0, -1) : all
  }
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown } | null
    readonly text?: unknown
    readonly finish_reason?: unknown
  }[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
  readonly error?: unknown
}

function countsOf(usage: NonNullable<Chunk['usage']>): TokenCounts {
  const count = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null)
  return { promptTokens: count(usage.prompt_tokens), completionTokens: count(usage.completion_tokens) }
}

function errorText(error: unknown): string {
  const message = typeof error === 'string' ? error : (error as { readonly message?: unknown }).message
  return typeof message === 'string' ? message.slice(0, 2000) : ''
}
