/** The texts of one document in the queue of an embedder, and the vectors that it has so far. */
import type { EmbedRequest } from './embedder.ts'

export interface EmbedJobOptions extends EmbedRequest {
  /** The length of the vectors of their space; null or left out when these are its first. */
  readonly dimensions?: number | null
  /** Called after each part with the number of texts that have vectors now. */
  readonly onProgress?: (embedded: number) => void
}

/** A range of a job's texts: offsets, end exclusive. */
export interface TextRange {
  readonly job: EmbedJob
  readonly start: number
  readonly end: number
}

export class EmbedJob {
  readonly texts: readonly string[]
  readonly signal: AbortSignal
  /** One vector for each text, in order. */
  readonly result: Promise<readonly Float32Array[]>
  /** The length of all its vectors; null until the first have come. */
  dimensions: number | null
  readonly #order: EmbedJobOptions
  readonly #listeners: (() => void)[]
  readonly #vectors: Float32Array[] = []
  readonly #settle: PromiseWithResolvers<readonly Float32Array[]>
  /** Texts before this one have been taken. */
  #taken = 0
  #embedded = 0
  #settled = false

  /** @param onSettled called once, when the job has its vectors, has failed or was aborted */
  constructor(order: EmbedJobOptions, onSettled: (job: EmbedJob) => void) {
    this.texts = order.texts
    this.signal = order.signal
    this.dimensions = order.dimensions ?? null
    this.#order = order
    this.#listeners = [() => onSettled(this)]
    this.#vectors.length = order.texts.length
    this.#settle = Promise.withResolvers()
    this.result = this.#settle.promise
    order.signal.addEventListener('abort', this.#aborted)
  }

  /** Nothing of it is wanted any more. */
  get settled(): boolean {
    return this.#settled
  }

  /** Calls the listener once, when nothing of the job is wanted any more. */
  whenSettled(listener: () => void): void {
    if (!this.#settled) this.#listeners.push(listener)
  }

  /** Texts that no batch has taken yet. */
  get waiting(): number {
    return this.texts.length - this.#taken
  }

  /** The next texts, at most `count` of them. */
  take(count: number): TextRange {
    const start = this.#taken
    this.#taken = Math.min(this.texts.length, start + count)
    return { job: this, start, end: this.#taken }
  }

  /** The vectors of a range that begins at `start`. */
  put(start: number, vectors: readonly Float32Array[]): void {
    if (this.#settled) return
    for (const [at, vector] of vectors.entries()) this.#vectors[start + at] = vector
    this.dimensions ??= vectors[0]?.length ?? null
    this.#embedded += vectors.length
    this.#order.onProgress?.(this.#embedded)
    if (this.#embedded < this.texts.length) return
    this.#end()
    this.#settle.resolve(this.#vectors)
  }

  fail(reason: unknown): void {
    if (this.#settled) return
    this.#end()
    this.#settle.reject(reason)
  }

  readonly #aborted = (): void => this.fail(this.signal.reason)

  #end(): void {
    this.#settled = true
    this.signal.removeEventListener('abort', this.#aborted)
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
