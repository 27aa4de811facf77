/** The texts of one document in an embed lane, and what has become of them. */
import type { EmbedRequest } from './embedder.ts'

export interface EmbedOrder extends EmbedRequest {
  /** Of the space that the vectors go to; null or left out when they are its first. */
  readonly dimensions?: number | null
  /** Told of each part that is done: how many texts of this order have vectors now. */
  readonly onProgress?: (embedded: number) => void
}

/** A stretch of a job's texts: offsets, end exclusive. */
export interface Stretch {
  readonly job: EmbedJob
  readonly start: number
  readonly end: number
}

export class EmbedJob {
  readonly texts: readonly string[]
  readonly signal: AbortSignal
  /** One vector for each text, in order. */
  readonly result: Promise<readonly Float32Array[]>
  /** Of all its vectors; null until the first have come. */
  dimensions: number | null
  readonly #order: EmbedOrder
  readonly #listeners: (() => void)[]
  readonly #vectors: Float32Array[] = []
  readonly #settle: PromiseWithResolvers<readonly Float32Array[]>
  /** Texts before this one have been taken. */
  #taken = 0
  #embedded = 0
  #settled = false

  /** @param onSettled told once, when nothing of the job is wanted any more, for whatever reason */
  constructor(order: EmbedOrder, onSettled: (job: EmbedJob) => void) {
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

  /** Texts that nobody has taken yet. */
  get waiting(): number {
    return this.texts.length - this.#taken
  }

  /** The next texts, at most so many. */
  take(count: number): Stretch {
    const start = this.#taken
    this.#taken = Math.min(this.texts.length, start + count)
    return { job: this, start, end: this.#taken }
  }

  /** The vectors of a stretch that begins at `start`. */
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
