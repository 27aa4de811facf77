/** Ctrl-C, and a polite request to stop, as a signal that a long command can obey in its own time. */

/** The command was asked to stop. */
export class Interrupted extends Error {}

/** Aborts with Interrupted at the first request to stop; the second ends the process as it would without this. */
export class Interruption implements Disposable {
  readonly #stop = new AbortController()
  readonly #onSignal = (): void => {
    this[Symbol.dispose]()
    this.#stop.abort(new Interrupted())
  }

  constructor() {
    process.on('SIGINT', this.#onSignal)
    process.on('SIGTERM', this.#onSignal)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#onSignal)
    process.off('SIGTERM', this.#onSignal)
  }
}
