/**
 * How long a process may answer from memory after others have last heard of it. It ends by itself:
 * a process that can reach nobody still knows that it has to stop. After it a grace may follow, in which
 * the process answers AI requests and nothing else.
 */
import type { Clock } from '#lib/clock.ts'

/** A moment on both clocks. */
export interface Moment {
  readonly elapsed: number
  readonly now: number
}

/**
 * Part of the time-out in which nobody answers: the process has stopped and the others do not count
 * it as gone yet. It absorbs what the clocks of two machines differ in rate.
 */
const margin = 0.1

export class Lease {
  readonly #clock: Clock
  readonly #lastsMs: number
  readonly #graceMs: number
  #from: Moment = { elapsed: -Infinity, now: -Infinity }
  #tenure = 0

  /** Not held before the first `renew`. @param timeoutMs after which others may count this process as gone, after its grace */
  constructor(clock: Clock, timeoutMs: number, graceMs = 0) {
    this.#clock = clock
    this.#lastsMs = timeoutMs * (1 - margin)
    this.#graceMs = graceMs
  }

  /** Silence after which others may count this process as gone: lease and grace are over by then. */
  get silenceMs(): number {
    return Math.ceil((this.#lastsMs + this.#graceMs) / (1 - margin))
  }

  /** This moment; for `renew`, once what is sent after it has been answered. */
  mark(): Moment {
    return { elapsed: this.#clock.elapsed(), now: this.#clock.now() }
  }

  /** Holds from the moment at which the heartbeat was about to be sent: others cannot have heard it earlier. */
  renew(sentAt: Moment): void {
    if (this.leftMs === 0) this.#tenure += 1
    this.#from = sentAt
  }

  /**
   * Time since the last heartbeat. The clock that has gone further counts: on Linux the monotonic one
   * stands still while the machine sleeps, and the wall clock can be set back.
   */
  get ageMs(): number {
    const { elapsed, now } = this.mark()
    return Math.max(elapsed - this.#from.elapsed, now - this.#from.now)
  }

  /** Whether the process may answer everything from memory. */
  get held(): boolean {
    return this.ageMs < this.#lastsMs
  }

  /** Another number after each time that lease and grace were over; null while they are. No other process counts this one as gone within a tenure. */
  get tenure(): number | null {
    return this.leftMs > 0 ? this.#tenure : null
  }

  /** Time that is left of lease and grace; 0 when both are over. No other process can give this one up before. */
  get leftMs(): number {
    return Math.max(0, this.#lastsMs + this.#graceMs - this.ageMs)
  }
}
