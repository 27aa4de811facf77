/** The answer of `/generate` and `/image_generate`: all texts at once, in the order of the prompts. */
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { metadataOf, type AnswerEnd, type AnswerSink } from './answer-sink.ts'
import type { Payload } from '../request/payload.ts'

export interface WholeAnswerOptions {
  readonly payload: Payload
  /** Bound on all texts together. */
  readonly charactersMax: number
}

export class WholeAnswer implements AnswerSink {
  readonly #options: WholeAnswerOptions
  readonly #texts: string[][]
  readonly #incomplete: boolean[]
  readonly #metadata: object[] = []
  readonly #all = Promise.withResolvers<void>()
  #characters = 0

  constructor(options: WholeAnswerOptions) {
    this.#options = options
    this.#texts = options.payload.texts.map(() => [])
    this.#incomplete = options.payload.texts.map(() => false)
  }

  /** Resolves when all prompts have been answered, and throws as soon as one has failed. */
  get all(): Promise<void> {
    return this.#all.promise
  }

  /** Once all have been answered. */
  respond(context: RequestContext): { readonly response: Response; readonly bytes: Uint8Array } {
    const { isBatch, wantsMetadata } = this.#options.payload
    const texts = this.#texts.map((pieces) => pieces.join(''))
    const body = {
      text: isBatch ? texts : texts[0],
      ...(this.#incomplete.includes(true) && { incomplete: isBatch ? this.#incomplete : true }),
      ...(wantsMetadata && { metadata: isBatch ? this.#metadata : this.#metadata[0] }),
    }
    const bytes = Buffer.from(JSON.stringify(body))
    const headers = { 'content-type': 'application/json' }
    return { response: context.respond(bytes, { status: 200, headers }), bytes }
  }

  async texts(index: number, texts: readonly string[]): Promise<void> {
    this.#texts[index]?.push(...texts)
    for (const text of texts) this.#characters += text.length
    if (this.#characters > this.#options.charactersMax) {
      throw new ApiError('upstream_invalid_response', {
        message: 'The answer of the model provider is larger than this gateway allows.',
      })
    }
  }

  async done(index: number, end: AnswerEnd): Promise<void> {
    this.#incomplete[index] = end.incomplete
    this.#metadata[index] = metadataOf(end)
  }

  async failed(index: number, error: ApiError): Promise<void> {
    this.#all.reject(this.#options.payload.isBatch ? promptError(index, error) : error)
  }

  finished(): void {
    this.#all.resolve()
  }
}

/** The error with a word about which prompt of the batch it is about. */
export function promptError(index: number, error: ApiError): ApiError {
  const { code, detail } = error
  return new ApiError(code, {
    ...detail,
    message: `Prompt ${index}: ${error.message}`,
    param: `text.${index}`,
    cause: detail.cause,
  })
}
