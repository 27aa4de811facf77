/** How texts become vectors. The interface is small; its caller checks the vectors (check-vectors.ts). */

export interface EmbedRequest {
  readonly texts: readonly string[]
  /** Some models embed questions and passages differently. */
  readonly purpose: 'passage' | 'query'
  readonly signal: AbortSignal
}

export interface Embedder {
  readonly name: string
  /** Texts in one call. */
  readonly batchMax: number
  /** What is unusual about it and the user should know, or null. */
  readonly warning: string | null
  /** One vector for each text, in order. Rejects with EmbedFailure. */
  embed(request: EmbedRequest): Promise<readonly Float32Array[]>
}

/** Stable: part of the document record. */
export type EmbedFailureCode =
  /** The model is gone, or the importer may not use it any more. Final. */
  | 'embedder_unavailable'
  /** The provider refused our credential, or the request itself. Final. */
  | 'embedder_refused'
  /** Too few vectors, a wrong dimension, a value that is not a number. Tried again, then final. */
  | 'embedder_invalid_answer'
  /** Overloaded, broken or silent. Tried again after a while. */
  | 'embedder_failed'

export class EmbedFailure extends Error {
  readonly code: EmbedFailureCode
  readonly retryable: boolean
  /** How long the provider asked to wait; null when it did not. */
  readonly retryAfterMs: number | null

  constructor(
    code: EmbedFailureCode,
    message: string,
    options: { readonly retryable: boolean; readonly retryAfterMs?: number | null; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
