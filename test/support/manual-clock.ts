/** A clock that stands still until a test puts it forward. */
import type { Clock } from '#lib/clock.ts'

export class ManualClock implements Clock {
  #now: number
  #elapsed = 5000

  /** @param now milliseconds since 1970 */
  constructor(now = 1_760_000_000_000) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#elapsed
  }

  advance(ms: number): void {
    this.#now += ms
    this.#elapsed += ms
  }
}
