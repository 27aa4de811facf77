/**
 * Token buckets for rates. A process owns a part of each rate: that part of the refill and of the burst. The
 * parts come from the slot ledger, where a rate is a key with `rateUnits` slots, so they never add up to more
 * than one, and idle parts are lent like slots. So over any time t all processes together let through at most
 * burst + amount * t / window.
 */
import type { RateRule } from '#config/settings/rate-rule.ts'
import type { Clock } from '#lib/clock.ts'

/** Slots of the ledger into which each rate is divided. */
export const rateUnits = 1000

/** Which part of a rate this process owns. */
export interface RateParts {
  /** From 0 to 1. */
  partOf(key: string): number
  /** The smallest part since this was asked last. */
  leastPartOf(key: string): number
  /** There is too little of the key here: a request needs at least this part of it at once. */
  want(key: string, part: number): void
  /** This part of the rate was used lately; the rest may be lent. */
  use(key: string, part: number): void
  /** A bucket that nobody has used yet is full. Otherwise it fills from the start of the process, whose predecessor may have used it up. */
  readonly startsFull: boolean
}

/** The only process owns everything. */
export const wholeParts: RateParts = {
  partOf: () => 1,
  leastPartOf: () => 1,
  want: () => undefined,
  use: () => undefined,
  startsFull: true,
}

/** What a request takes of one rate. */
export interface RateCost {
  readonly rule: RateRule
  /** The rule and the values for which it counts apart. */
  readonly key: string
  readonly amount: number
}

/** How a rate stands. */
export interface RateState {
  readonly rule: RateRule
  /** What is left now, of the whole burst. */
  readonly remaining: number
  /** Time until the bucket is full. */
  readonly resetMs: number
  /** Time until the refused amount would be there. */
  readonly retryMs: number
}

interface Bucket {
  rule: RateRule
  level: number
  /** When the level was computed last, as `elapsed` of the clock. */
  at: number
  /** The part that was owned then. */
  part: number
  /** Taken since the last `tick`. */
  taken: number
  /** It had too little since the last `tick`: nothing of its part is idle, however little was taken. */
  lacked: boolean
}

const tickMsMin = 1
/** A client comes back after this long when a part has to be lent. */
const lendMs = 1000
/** Idle parts are lent only beyond this multiple of what was used lately. */
const headroom = 1.25

export class RateBuckets {
  readonly #buckets = new Map<string, Bucket>()
  readonly #parts: RateParts
  readonly #clock: Clock
  readonly #startedAt: number
  #tickedAt: number

  constructor(clock: Clock, parts: RateParts) {
    this.#clock = clock
    this.#parts = parts
    this.#startedAt = clock.elapsed()
    this.#tickedAt = this.#startedAt
  }

  /** Takes from every bucket, or from none and returns the state of the one that has too little. */
  take(costs: readonly RateCost[]): RateState | null {
    for (const cost of costs) {
      const bucket = this.#current(cost)
      if (bucket.level >= cost.amount) continue
      bucket.lacked = true
      this.#parts.want(cost.key, Math.min(1, cost.amount / cost.rule.burst))
      return this.stateOf(cost)
    }
    for (const { key, amount } of costs) {
      const bucket = this.#buckets.get(key)
      if (bucket === undefined) continue
      bucket.level -= amount
      bucket.taken += amount
    }
    return null
  }

  /** Gives back what was reserved too much, or takes what was reserved too little: later requests pay for it. */
  settle(cost: RateCost, used: number): void {
    const bucket = this.#current(cost)
    bucket.level = Math.min(bucket.rule.burst * bucket.part, bucket.level + cost.amount - used)
    bucket.taken += used - cost.amount
  }

  stateOf(cost: RateCost): RateState {
    const { rule, level, part } = this.#current(cost)
    const { amount, windowMs, burst } = rule
    const perMs = (amount * part) / windowMs
    const missing = (upTo: number): number => (perMs === 0 ? windowMs : Math.max(0, upTo - level) / perMs)
    return {
      rule,
      remaining: part === 0 ? 0 : Math.max(0, Math.floor(Math.min(burst, level / part))),
      resetMs: missing(burst * part),
      // More than this process can ever hold: others have to lend it a part first.
      retryMs: cost.amount > burst * part ? Math.max(lendMs, missing(burst * part)) : missing(cost.amount),
    }
  }

  /** At intervals: tells which parts are in use, and forgets buckets that are as good as new. */
  tick(): void {
    const now = this.#clock.elapsed()
    const passedMs = Math.max(tickMsMin, now - this.#tickedAt)
    this.#tickedAt = now
    for (const [key, bucket] of this.#buckets) {
      this.#refill(key, bucket)
      const { amount, windowMs, burst } = bucket.rule
      const used = (headroom * Math.max(0, bucket.taken) * windowMs) / (amount * passedMs)
      // What is owed is paid by the refill of this part: lent, the part would fill another bucket, and the debt would stay.
      this.#parts.use(key, bucket.lacked || bucket.level < 0 ? 1 : used)
      const isFull = bucket.level >= burst * bucket.part && this.#freshLevel(bucket.rule, bucket.part) >= bucket.level
      if (isFull && bucket.taken === 0) this.#buckets.delete(key)
      bucket.taken = 0
      bucket.lacked = false
    }
  }

  /** Buckets that are held. */
  get size(): number {
    return this.#buckets.size
  }

  #current({ rule, key }: RateCost): Bucket {
    const found = this.#buckets.get(key)
    if (found !== undefined) {
      this.#refill(key, found)
      found.rule = rule
      return found
    }
    const part = this.#parts.partOf(key)
    const bucket = {
      rule,
      level: this.#freshLevel(rule, part),
      at: this.#clock.elapsed(),
      part,
      taken: 0,
      lacked: false,
    }
    this.#buckets.set(key, bucket)
    return bucket
  }

  /** For the time that has passed, the smallest part counts: what was lent in between has filled another bucket. */
  #refill(key: string, bucket: Bucket): void {
    const { amount, windowMs, burst } = bucket.rule
    const now = this.#clock.elapsed()
    const least = Math.min(bucket.part, this.#parts.leastPartOf(key))
    const part = this.#parts.partOf(key)
    const refill = (Math.max(0, now - bucket.at) * amount * least) / windowMs
    bucket.level = Math.min(burst * least, bucket.level + refill)
    bucket.at = now
    bucket.part = part
  }

  #freshLevel({ amount, windowMs, burst }: RateRule, part: number): number {
    if (this.#parts.startsFull) return burst * part
    return Math.min(burst * part, ((this.#clock.elapsed() - this.#startedAt) * amount * part) / windowMs)
  }
}
