/**
 * Any embedding model of the gateway as an embedder. It is called like a client calls
 * POST /ai/v1/embeddings, by a function that the composition root gives, for one account.
 *
 * Vectors are asked for as base64, which is a quarter of the bytes and no parsing of numbers; a
 * provider that does not know that is asked for numbers from then on. A provider that takes fewer
 * texts in a call than it is sent gets fewer from then on.
 */
import { ApiError } from '#errors/api-error.ts'
import type { Embedder, EmbedRequest } from './embedder.ts'
import { embedFailureOf } from './embed-failure.ts'
import type { ModelOptions } from './model-options.ts'
import { readVectors } from './read-vectors.ts'

/** The body of POST /ai/v1/embeddings. */
export interface EmbeddingsBody {
  readonly model: string
  readonly input: readonly string[]
  readonly encoding_format?: 'base64'
  readonly dimensions?: number
  /** Fields that tell the model what the texts are, or how long its vectors should be. */
  readonly [field: string]: unknown
}

/** Calls the model on the account that the embedder is for. A 2xx, or a rejection with the ApiError of the refusal. */
export type CallEmbeddings = (body: EmbeddingsBody, signal: AbortSignal) => Promise<Response>

export interface GatewayEmbedderOptions {
  /** Name of the model. */
  readonly model: string
  readonly batchMax: number
  /** What the model was trained with. */
  readonly form?: ModelOptions
}

/** How the texts of one purpose are asked for. */
interface Asking {
  readonly fields: Readonly<Record<string, unknown>>
  /** Vectors are cut to this length; null when they come as they shall be. */
  readonly cutTo: number | null
}

type Format = 'base64' | 'float'

/** Most UTF-8 bytes of texts in one call: about 100,000 tokens, which every large provider takes. */
const batchBytesMax = 384 * 1024

export class GatewayEmbedder implements Embedder {
  readonly name: string
  readonly warning = null
  readonly #call: CallEmbeddings
  readonly #options: GatewayEmbedderOptions
  #batchMax: number
  /** Null until the provider has shown which it takes. */
  #format: Format | null = null

  constructor(call: CallEmbeddings, options: GatewayEmbedderOptions) {
    this.name = options.model
    this.#call = call
    this.#options = options
    this.#batchMax = options.batchMax
  }

  /** Shrinks when the provider turns out to take fewer. */
  get batchMax(): number {
    return this.#batchMax
  }

  /** Rejects with EmbedFailure, or with the signal's reason once it is aborted. */
  async embed({ texts, purpose, signal }: EmbedRequest): Promise<readonly Float32Array[]> {
    const { form = {} } = this.#options
    const isQuery = purpose === 'query'
    const prefix = (isQuery ? form.query_prefix : form.passage_prefix) ?? ''
    const asking = askingOf(form, isQuery)
    const prefixed = prefix === '' ? texts : texts.map((text) => prefix + text)
    const vectors: Float32Array[] = []
    for (const batch of batchesOf(prefixed, this.#batchMax))
      vectors.push(...(await this.#embedBatch(batch, asking, signal)))
    return vectors
  }

  async #embedBatch(batch: readonly string[], asking: Asking, signal: AbortSignal): Promise<readonly Float32Array[]> {
    try {
      return await this.#ask(batch, asking, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (batch.length === 1 || !isAboutTheBody(thrown)) throw embedFailureOf(thrown, this.name)
    }
    // It may be too many at once, or one that is at fault: the halves tell.
    const half = Math.ceil(batch.length / 2)
    const first = await this.#embedBatch(batch.slice(0, half), asking, signal)
    const second = await this.#embedBatch(batch.slice(half), asking, signal)
    this.#batchMax = Math.min(this.#batchMax, half)
    return [...first, ...second]
  }

  async #ask(
    input: readonly string[],
    { fields, cutTo }: Asking,
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const vectors = await this.#askInEither({ model: this.#options.model, input, ...fields }, signal)
    return cutTo === null ? vectors : vectors.map((vector) => vector.slice(0, cutTo))
  }

  /** One call, or a second in the other format when the first was refused and the format may be why. */
  async #askInEither(body: EmbeddingsBody, signal: AbortSignal): Promise<readonly Float32Array[]> {
    if (this.#format !== null) return this.#askIn(this.#format, body, signal)
    try {
      const vectors = await this.#askIn('base64', body, signal)
      this.#format = 'base64'
      return vectors
    } catch (thrown) {
      signal.throwIfAborted()
      if (!isAboutTheBody(thrown)) throw thrown
    }
    const vectors = await this.#askIn('float', body, signal)
    this.#format = 'float'
    return vectors
  }

  async #askIn(format: Format, body: EmbeddingsBody, signal: AbortSignal): Promise<readonly Float32Array[]> {
    signal.throwIfAborted()
    const answer = await this.#call(format === 'base64' ? { ...body, encoding_format: format } : body, signal)
    return readVectors(await answer.text(), body.input.length)
  }
}

function askingOf({ dimensions, shortened_by: by, ...form }: ModelOptions, isQuery: boolean): Asking {
  const fields = isQuery ? form.query_fields : form.passage_fields
  if (dimensions === undefined) return { fields: { ...fields }, cutTo: null }
  if (by === 'cut') return { fields: { ...fields }, cutTo: dimensions }
  return { fields: { ...fields, [by ?? 'dimensions']: dimensions }, cutTo: null }
}

/** Whether another body might be taken: the provider, or this server, refused this one, and not the model's name. */
function isAboutTheBody(thrown: unknown): boolean {
  if (!(thrown instanceof ApiError) || thrown.detail.upstreamStatus === 404) return false
  return thrown.code === 'upstream_rejected' || thrown.code === 'request_too_large'
}

/** The texts in order, in pieces of at most `countMax` texts and of bounded bytes, but of one text at least. */
function* batchesOf(texts: readonly string[], countMax: number): Iterable<readonly string[]> {
  let from = 0
  let bytes = 0
  for (const [at, text] of texts.entries()) {
    const size = Buffer.byteLength(text)
    if (at > from && (at - from >= countMax || bytes + size > batchBytesMax)) {
      yield texts.slice(from, at)
      from = at
      bytes = 0
    }
    bytes += size
  }
  if (from < texts.length) yield texts.slice(from)
}
