/**
 * Announces a change to every process. Code that changes the store publishes what it changed and answers
 * the administrator only when the promise has resolved: from then on no process answers a request
 * from the old state.
 */
import type { Change } from './change.ts'
import type { LiveState } from './live-state.ts'
import type { OwnStatus, Peer } from './peers.ts'

/**
 * What this process may answer from memory. `current`: everything. `grace`: AI requests and nothing else; it
 * hears of no changes, and nobody is told that a change is done before this ends. `stale`: nothing.
 */
export type Standing = 'current' | 'grace' | 'stale'

/** This process among those on the database. */
export interface Registration {
  readonly id: string
  /** Another number after each time in which others may have counted this process as gone; null while they may. */
  readonly tenure: number | null
}

export interface ChangeFeed extends AsyncDisposable {
  /** Resolves when every live process, this one included, has applied the changes or refuses what they name. */
  publish(changes: readonly Change[]): Promise<void>
  readonly standing: Standing
  /** Time for which AI requests are answered if nothing more is heard of the database; null without a grace. */
  readonly graceLeftMs: number | null
  /** Time since memory was last known to be up to date. */
  readonly ageMs: number
  /** Null when no other process can serve the store. */
  readonly registration: Registration | null
  /** Connects what this process says about itself to the others; until then it says nothing. */
  tell(status: OwnStatus): void
  /** What the other processes have last said about themselves. Rejects with StoreUnavailable. */
  peers(): Promise<readonly Peer[]>
}

/** The feed of a store that only one process serves. */
export class LocalFeed implements ChangeFeed {
  readonly #state: LiveState

  constructor(state: LiveState) {
    this.#state = state
  }

  /** The store is in this process, which hears of every change. */
  get standing(): Standing {
    return this.#state.certain ? 'current' : 'stale'
  }

  readonly graceLeftMs = null
  readonly ageMs = 0
  readonly registration = null

  /** Nobody else is there. */
  tell(): void {}

  peers(): Promise<readonly Peer[]> {
    return Promise.resolve([])
  }

  publish(changes: readonly Change[]): Promise<void> {
    return this.#state.apply(changes)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
