/**
 * Background work at intervals: one loop, an abortable wait, and a stop that waits for the work
 * under way. Work never overlaps itself, and a failure does not end the loop.
 */

export interface LoopOptions {
  readonly intervalMs: number
  readonly work: () => Promise<void>
  readonly onError: (error: unknown) => void
}

export class Loop implements AsyncDisposable {
  readonly #options: LoopOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  /** Starts at once; the first work is due after one interval. */
  constructor(options: LoopOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Ends the loop. Resolves when no work is running any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { intervalMs, work, onError } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      await pause(intervalMs, signal)
      if (signal.aborted) return
      try {
        await work()
      } catch (error) {
        onError(error)
      }
    }
  }
}

/** Resolves after the time or at the abort, whichever comes first. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const stop = (): void => {
    clearTimeout(timer)
    resolve()
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', stop))
}
