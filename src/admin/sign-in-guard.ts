/**
 * Slows down guessing of passwords without shutting people out.
 *
 * - A browser that has signed in to the account before counts for itself: the guesses of others never
 *   make it wait.
 * - Any other client counts by account and address. After some failures in a row it waits, and each
 *   further failure doubles the wait, up to a quarter of an hour.
 * - The failures of all such clients at one account, and those of one address at all accounts, have a
 *   budget. Once it is used up, a client waits before its first attempt too: the length of one lock.
 *   So the right password is never refused for longer because of what others did elsewhere.
 *
 * An attempt counts as failed from its beginning, so that many at once get no more tries than one
 * after the other.
 */
import type { Clock } from '#lib/clock.ts'
import { addressBits } from '#lib/ip-network.ts'

export interface SignInLimits {
  /** Failures in a row after which a client waits. */
  readonly attempts: number
  /** Length of the first wait. */
  readonly lockSeconds: number
}

export interface SignInAttempt {
  /** Address of the account, in lower case; there need not be such an account. */
  readonly email: string
  /** Address of the client; empty when it has none. */
  readonly address: string
  /** Id of a browser that has signed in to this account before; null for any other client. */
  readonly browser: string | null
}

export interface SignInGuard {
  /**
   * Begins an attempt. Null: go on, and call `succeeded` if it did. A number: refuse, and say that
   * so many seconds have to pass.
   */
  begin(attempt: SignInAttempt): Promise<number | null>
  /** The attempt was not a failure: the client starts again, and its failures leave the budgets. */
  succeeded(attempt: SignInAttempt): Promise<void>
}

interface Count {
  readonly failures: number
  /** Monotonic milliseconds; in the past when nothing waits. */
  readonly lockedUntil: number
  /** The wait before the next attempt is set or over. */
  readonly hasWaited: boolean
}

/** Failures that one budget holds, in numbers of `attempts`: many people may share an address. */
const budgetFactor = 10
const lockSecondsMax = 15 * 60
/** After this long without a failure a count is forgotten. */
const forgetMs = 15 * 60_000
/** Counts that are kept; past that the one least recently changed goes. */
const countsMax = 20_000

const nothing: Count = { failures: 0, lockedUntil: 0, hasWaited: false }

/** Counts in this process. */
export class LocalSignInGuard implements SignInGuard {
  readonly #counts = new Map<string, Count>()
  readonly #clock: Clock
  readonly #limits: () => SignInLimits

  /** @param limits asked for at each attempt, so that a change holds at once */
  constructor(clock: Clock, limits: () => SignInLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  async begin(attempt: SignInAttempt): Promise<number | null> {
    const { attempts, lockSeconds } = this.#limits()
    const now = this.#clock.elapsed()
    const own = ownKey(attempt)
    const count = this.#current(own, now)
    if (count.lockedUntil > now) return Math.ceil((count.lockedUntil - now) / 1000)
    const budgets = budgetKeys(attempt)
    const isUsedUp = budgets.some((key) => this.#current(key, now).failures >= attempts * budgetFactor)
    if (isUsedUp && !count.hasWaited) {
      this.#set(own, { ...count, lockedUntil: now + lockSeconds * 1000, hasWaited: true })
      return Math.ceil(lockSeconds)
    }
    const failures = count.failures + 1
    const waitMs = failures < attempts ? 0 : lockMs(lockSeconds, failures - attempts)
    this.#set(own, { failures, lockedUntil: now + waitMs, hasWaited: waitMs > 0 })
    for (const key of budgets)
      this.#set(key, { ...nothing, failures: this.#current(key, now).failures + 1, lockedUntil: now })
    return null
  }

  async succeeded(attempt: SignInAttempt): Promise<void> {
    const own = ownKey(attempt)
    const { failures } = this.#counts.get(own) ?? nothing
    this.#counts.delete(own)
    for (const key of budgetKeys(attempt)) {
      const budget = this.#counts.get(key)
      // Only its own: who knows one password must not win fresh guesses at the others with it.
      if (budget !== undefined) this.#counts.set(key, { ...budget, failures: Math.max(0, budget.failures - failures) })
    }
  }

  /** Counts that are held. */
  get size(): number {
    return this.#counts.size
  }

  #current(key: string, now: number): Count {
    const count = this.#counts.get(key)
    return count === undefined || now - count.lockedUntil > forgetMs ? nothing : count
  }

  #set(key: string, count: Count): void {
    // Deleted first, so that the map's order is that of the last change.
    this.#counts.delete(key)
    this.#counts.set(key, count)
    if (this.#counts.size <= countsMax) return
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#counts.delete(oldest)
  }
}

function lockMs(lockSeconds: number, doublings: number): number {
  return Math.min(lockSeconds * 2 ** Math.min(doublings, 20), Math.max(lockSeconds, lockSecondsMax)) * 1000
}

function ownKey({ email, address, browser }: SignInAttempt): string {
  return browser === null ? `client ${networkOf(address)} ${email}` : `browser ${browser} ${email}`
}

function budgetKeys({ email, address, browser }: SignInAttempt): readonly string[] {
  if (browser !== null) return []
  return address === '' ? [`account ${email}`] : [`account ${email}`, `address ${networkOf(address)}`]
}

/** A host has as many IPv6 addresses as it likes, all of one /64; it has one of IPv4. */
function networkOf(address: string): string {
  const bits = addressBits(address)
  return bits === null || bits >> 32n === 0xffffn ? address : `${(bits >> 64n).toString(16)}/64`
}
