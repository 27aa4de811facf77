/**
 * Slows down guessing of passwords. After some failures in a row, attempts for that e-mail address,
 * or from that client address, are refused for a while; each further failure doubles the while.
 *
 * Counts are of this process. An attempt counts as failed from its beginning, so that many at once
 * get no more tries than one after the other.
 */
import type { Clock } from '#lib/clock.ts'

export interface SignInLimits {
  /** Failures in a row after which an e-mail address is locked. */
  readonly attempts: number
  /** Length of the first lock. */
  readonly lockSeconds: number
}

interface Count {
  failures: number
  /** Monotonic milliseconds; in the past when not locked. */
  lockedUntil: number
}

/** Behind a reverse proxy or an office's router many people have one address. */
const addressFactor = 10
const lockSecondsMax = 3600
/** After this long without a failure a count is forgotten. */
const forgetMs = 15 * 60_000
/** Counts that are kept; past that the one least recently changed goes. */
const countsMax = 20_000

export class SignInGuard {
  readonly #counts = new Map<string, Count>()
  readonly #clock: Clock
  readonly #limits: () => SignInLimits

  /** @param limits asked for at each attempt, so that a change holds at once */
  constructor(clock: Clock, limits: () => SignInLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /**
   * Begins an attempt. Null: go on, and call `succeeded` if it did. A number: refuse, and say that
   * so many seconds have to pass.
   * @param address of the client; empty when it has none
   */
  begin(email: string, address: string): number | null {
    const keys = keysOf(email, address)
    const now = this.#clock.elapsed()
    const lockedUntil = Math.max(...keys.map((key) => this.#counts.get(key)?.lockedUntil ?? 0))
    if (lockedUntil > now) return Math.ceil((lockedUntil - now) / 1000)
    for (const key of keys) this.#countFailure(key, now)
    return null
  }

  /** The attempt was no failure: the e-mail address starts anew, and its failures leave the client address. */
  succeeded(email: string, address: string): void {
    const [emailKey, addressKey] = keysOf(email, address)
    const own = this.#counts.get(emailKey)?.failures ?? 0
    this.#counts.delete(emailKey)
    const count = addressKey === undefined ? undefined : this.#counts.get(addressKey)
    if (count === undefined) return
    // Only its own: who knows one password must not win fresh guesses at the others with it.
    count.failures = Math.max(0, count.failures - own)
    if (count.failures < this.#limits().attempts * addressFactor) count.lockedUntil = 0
  }

  /** Counts that are held. */
  get size(): number {
    return this.#counts.size
  }

  #countFailure(key: string, now: number): void {
    const { attempts, lockSeconds } = this.#limits()
    const allowed = key.startsWith('address ') ? attempts * addressFactor : attempts
    const before = this.#counts.get(key)
    const failures = before === undefined || now - before.lockedUntil > forgetMs ? 1 : before.failures + 1
    const doublings = Math.min(failures - allowed, 20)
    const locked =
      failures < allowed ? 0 : Math.min(lockSeconds * 2 ** doublings, Math.max(lockSeconds, lockSecondsMax))
    // Deleted first, so that the map's order is that of the last failure.
    this.#counts.delete(key)
    this.#counts.set(key, { failures, lockedUntil: now + locked * 1000 })
    if (this.#counts.size > countsMax) this.#dropOldest()
  }

  #dropOldest(): void {
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#counts.delete(oldest)
  }
}

function keysOf(email: string, address: string): readonly [string, ...string[]] {
  return address === '' ? [`email ${email}`] : [`email ${email}`, `address ${address}`]
}
