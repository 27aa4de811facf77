/**
 * The part of an AbortSignal that ends a call. A signal of the platform is one; code that makes
 * thousands of them a second may have its own, because a signal costs more than the rest of a call.
 */

/** An object with this method is a listener without a closure. */
export type CancellationListener = (() => void) | { handleEvent(): void }

export interface Cancellation {
  readonly aborted: boolean
  /** Why, once it is aborted. */
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: CancellationListener): void
  removeEventListener(type: 'abort', listener: CancellationListener): void
}
