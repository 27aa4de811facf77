/** Lets requests wait for documents to end: told at once by the worker of this process, looked up for those of others. */
import type { Clock } from '#lib/clock.ts'
import { unfinishedStates, type DocumentStore } from '#store/documents/document-store.ts'

const lookEveryMs = 500

export class Endings {
  readonly #store: Pick<DocumentStore, 'list'>
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()

  constructor(store: Pick<DocumentStore, 'list'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** A document has ended here. */
  tell(): void {
    for (const look of this.#waiting) look()
  }

  /** Resolves when all of these have ended, after the time, or when the signal is aborted. */
  async wait(ids: readonly string[], seconds: number, signal: AbortSignal): Promise<void> {
    const until = this.#clock.elapsed() + seconds * 1000
    for (;;) {
      const told = Promise.withResolvers<void>()
      this.#waiting.add(told.resolve)
      signal.addEventListener('abort', () => told.resolve(), { once: true })
      try {
        const left = until - this.#clock.elapsed()
        if (signal.aborted || left <= 0 || !(await this.#anyRunning(ids))) return
        const timer = setTimeout(told.resolve, Math.min(lookEveryMs, left))
        await told.promise
        clearTimeout(timer)
      } finally {
        this.#waiting.delete(told.resolve)
      }
    }
  }

  async #anyRunning(ids: readonly string[]): Promise<boolean> {
    const viewer = { userId: '', principals: [], all: true }
    const page = await this.#store.list({ viewer, ids, states: unfinishedStates, limit: 1 })
    return page.items.length > 0
  }
}
