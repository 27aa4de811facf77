/** Lets requests wait for documents to end. The worker of this process notifies them; documents of other processes are polled. */
import type { Clock } from '#lib/clock.ts'
import { unfinishedStates, type DocumentStore } from '#store/documents/document-store.ts'

const lookEveryMs = 500

export class CompletionNotifier {
  readonly #store: Pick<DocumentStore, 'list'>
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()

  constructor(store: Pick<DocumentStore, 'list'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** A document has ended here. */
  notify(): void {
    for (const look of this.#waiting) look()
  }

  /** Resolves when all of these have ended, after the time, or when the signal is aborted. */
  async wait(ids: readonly string[], seconds: number, signal: AbortSignal): Promise<void> {
    const until = this.#clock.elapsed() + seconds * 1000
    let changed = Promise.withResolvers<void>()
    const look = (): void => changed.resolve()
    this.#waiting.add(look)
    signal.addEventListener('abort', look)
    try {
      for (;;) {
        changed = Promise.withResolvers<void>()
        const left = until - this.#clock.elapsed()
        if (signal.aborted || left <= 0 || !(await this.#anyRunning(ids))) return
        const timer = setTimeout(look, Math.min(lookEveryMs, left))
        await changed.promise
        clearTimeout(timer)
      }
    } finally {
      signal.removeEventListener('abort', look)
      this.#waiting.delete(look)
    }
  }

  async #anyRunning(ids: readonly string[]): Promise<boolean> {
    const viewer = { userId: '', principals: [], all: true }
    const page = await this.#store.list({ viewer, ids, states: unfinishedStates, limit: 1 })
    return page.items.length > 0
  }
}
