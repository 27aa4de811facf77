/**
 * Announces a change to every process. Code that changes the store publishes what it changed and answers
 * the administrator only when the promise has resolved: from then on no process answers a request
 * from the old state.
 */
import type { Change } from './change.ts'
import type { LiveState } from './live-state.ts'

export interface ChangeFeed extends AsyncDisposable {
  /** Resolves when every live process, this one included, has applied the changes or refuses what they name. */
  publish(changes: readonly Change[]): Promise<void>
  /** Whether this process hears of changes; while it does not, it must not answer from memory. */
  readonly connected: boolean
}

/** The feed of a store that only one process serves. */
export class LocalFeed implements ChangeFeed {
  readonly #state: LiveState

  constructor(state: LiveState) {
    this.#state = state
  }

  /** The store is in this process, which hears of every change. */
  get connected(): boolean {
    return this.#state.certain
  }

  publish(changes: readonly Change[]): Promise<void> {
    return this.#state.apply(changes)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
