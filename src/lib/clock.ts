/** Time as an argument, so that tests decide what time it is. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  now(): number
  /** Monotonic milliseconds with a fraction; only differences mean anything. */
  elapsed(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}
