/**
 * How many calls of one kind an upstream works on at once without letting any of them wait. The window
 * is found by measuring how long calls take, in the manner of TCP Vegas (L. Brakmo, L. Peterson, 1995). The
 * window doubles while that makes calls hardly slower, and halves when they begin to queue.
 *
 * Where they queue up from the second call on, as on one accelerator, the window stays at one; then
 * a few calls are let through to try again, ever more rarely.
 */

/** The measurement of a call. */
export interface EndedCall {
  /** Calls that were under way when it began. */
  readonly concurrent: number
  readonly ms: number
}

/** A wider window may make calls so much slower. A queue at twice the width makes them take up to twice as long. */
const slack = 1.5
const slackMs = 1
/** Calls that a step is judged by: as many as fit into it, since the first of them find room that the last do not. */
const samplesMin = 4
const samplesMax = 64
/** The steps of the window. There is no step of two: a single second call hardly tells a queue from chance. */
const sizes = [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096] as const
const holdMinMs = 250
const holdMaxMs = 30_000

export class CallWindow {
  #step = 0
  /** Milliseconds of calls at each step when the step was last found good. */
  readonly #usualMs: number[] = []
  /** Milliseconds of calls that began at this step. */
  #samples: number[] = []
  #stepAt = 0
  /** A call was not admitted at this step. */
  #limited = false
  /** The step was reached by growing, and has not been judged. */
  #grown = false
  /** The step was found too wide once. */
  #doubted = false
  /** The last step that was tried was too wide. */
  #queues = false
  #holdUntil = 0
  #holdMs = holdMinMs

  /** Calls that may be under way at once. */
  get size(): number {
    return sizes[this.#step] ?? 1
  }

  /**
   * How long a call that is not admitted should wait for one that ends, in milliseconds: where calls
   * are known to queue up, it would otherwise wait in the upstream's queue.
   */
  get patienceMs(): number {
    return this.#queues ? 2 * (this.#usualMs[this.#step] ?? 0) : 0
  }

  /** Whether one more call may begin while so many are under way. */
  admits(calls: number): boolean {
    const admitted = calls < this.size
    if (!admitted) this.#limited = true
    return admitted
  }

  /** Notes a call that was answered. @param now milliseconds of a monotonic clock */
  ended({ concurrent, ms }: EndedCall, now: number): void {
    // A call that began earlier measures the step before; a call without others measures only the first step.
    if (now - ms < this.#stepAt || (this.#step > 0 && concurrent === 0)) return
    this.#samples.push(ms)
    const needed = Math.min(samplesMax, Math.max(samplesMin, this.size))
    if (this.#samples.length >= needed) this.#judge(now)
  }

  #judge(now: number): void {
    const took = median(this.#samples)
    const before = this.#usualMs[this.#step - 1]
    if (before !== undefined && took > before * slack + slackMs) return this.#doubt(before / took, now)
    this.#usualMs[this.#step] = took
    if (this.#grown) {
      this.#holdMs = holdMinMs
      this.#queues = false
    }
    const grows = this.#limited && now >= this.#holdUntil && this.#step < sizes.length - 1
    this.#begin(grows ? this.#step + 1 : this.#step, { grown: grows, now })
  }

  /** A machine that was busy for a moment makes all calls of a step slow; it does not do so twice. The first step is too dear for that. */
  #doubt(share: number, now: number): void {
    if (this.#step === 1 || this.#doubted) return this.#shrink(share, now)
    this.#begin(this.#step, { grown: this.#grown, now })
    this.#doubted = true
  }

  /** @param share of their time that calls do not spend in the queue */
  #shrink(share: number, now: number): void {
    this.#queues = true
    // What was good until now may be so again soon; only what never was is tried ever more rarely.
    if (!this.#grown) this.#holdMs = holdMinMs
    this.#holdUntil = now + this.#holdMs
    if (this.#grown) this.#holdMs = Math.min(holdMaxMs, this.#holdMs * 2)
    const fits = sizes.findLastIndex((size) => size <= this.size * share)
    this.#begin(Math.max(0, Math.min(fits, this.#step - 1)), { grown: false, now })
  }

  #begin(step: number, { grown, now }: { readonly grown: boolean; readonly now: number }): void {
    this.#step = step
    this.#grown = grown
    this.#doubted = false
    this.#samples = []
    this.#limited = false
    this.#stepAt = now
  }
}

/** Single calls that took long, such as the first one on a new connection, do not count. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
