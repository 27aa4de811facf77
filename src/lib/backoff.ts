/**
 * How long to wait before trying again: full jitter, a random time up to a bound that doubles with
 * each try, so that callers who failed together do not come back together.
 * (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.)
 */

export interface BackoffOptions {
  /** Bound of the first wait. */
  readonly baseMs: number
  readonly maxMs: number
}

/** Milliseconds to wait before try number `retry`, counted from 1. `random` gives [0, 1). */
export function fullJitterMs(retry: number, { baseMs, maxMs }: BackoffOptions, random: () => number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** (retry - 1))
}
