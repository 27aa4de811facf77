/**
 * Where the texts of all documents meet on their way to an embedder: texts of several documents
 * share a call, so that many small documents cost as few calls as one large one, and one large
 * document does not keep small ones waiting. What comes back is checked and normalised.
 *
 * A call that fails is tried again after a while, within a time budget. When a call for several
 * documents fails, each document is tried by itself, so that a text that an embedder cannot take
 * fails its own document only.
 */
import type { EmbedJobOptions } from './embed-job.ts'
import { EmbedderQueue, type EmbedQueueOptions } from './embedder-queue.ts'
import type { Embedder, EmbedRequest } from './embedder.ts'

export class EmbedQueue {
  readonly #options: EmbedQueueOptions
  /** One queue for passages and one for questions, so that questions do not wait behind passages. */
  readonly #queues = new WeakMap<Embedder, Record<EmbedRequest['purpose'], EmbedderQueue>>()

  constructor(options: EmbedQueueOptions) {
    this.#options = options
  }

  /**
   * One vector of length 1 for each text, in order. Texts are joined with those of the same embedder
   * object only. Rejects with EmbedFailure, or with the signal's reason once it is aborted.
   */
  embed(embedder: Embedder, order: EmbedJobOptions): Promise<readonly Float32Array[]> {
    let queues = this.#queues.get(embedder)
    if (queues === undefined) {
      queues = {
        passage: new EmbedderQueue(embedder, 'passage', this.#options),
        query: new EmbedderQueue(embedder, 'query', this.#options),
      }
      this.#queues.set(embedder, queues)
    }
    return queues[order.purpose].add(order)
  }
}

/** A wait that keeps no process alive. */
export function waitUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal?.aborted === true) return Promise.resolve()
  const end = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    resolve()
  }
  const timer = setTimeout(end, ms)
  timer.unref()
  signal?.addEventListener('abort', end)
  return promise
}
