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
import type { SignInCount, SignInCountStore } from '#store/limits/sign-in-counts.ts'

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

/** Failures that one budget holds, in numbers of `attempts`: many people may share an address. */
const budgetFactor = 10
const lockSecondsMax = 15 * 60
/** A count without a failure for this long is forgotten. */
export const signInForgetMs = 15 * 60_000
/** Counts that are kept; past that the one least recently changed goes. */
const countsMax = 20_000

const nothing: SignInCount = { failures: 0, lockedUntil: 0, hasWaited: false }

/** The counts that an attempt concerns. */
type Counts = Pick<Map<string, SignInCount>, 'get' | 'set' | 'delete'>

/** Counts in this process. */
export class LocalSignInGuard implements SignInGuard {
  readonly #counts = new Map<string, SignInCount>()
  readonly #clock: Clock
  readonly #limits: () => SignInLimits

  /** @param limits asked for at each attempt, so that a change holds at once */
  constructor(clock: Clock, limits: () => SignInLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  async begin(attempt: SignInAttempt): Promise<number | null> {
    const wait = begin(attempt, { counts: this.#counts, limits: this.#limits(), now: this.#clock.elapsed() })
    // The map's order is that of the last change.
    for (const key of this.#counts.keys()) {
      if (this.#counts.size <= countsMax) break
      this.#counts.delete(key)
    }
    return wait
  }

  async succeeded(attempt: SignInAttempt): Promise<void> {
    forgive(attempt, this.#counts)
  }

  /** Counts that are held. */
  get size(): number {
    return this.#counts.size
  }
}

/** Counts in the database, for all processes on it together. */
export class SharedSignInGuard implements SignInGuard {
  readonly #store: SignInCountStore
  readonly #limits: () => SignInLimits

  /** @param limits asked for at each attempt, so that a change holds at once */
  constructor(store: SignInCountStore, limits: () => SignInLimits) {
    this.#store = store
    this.#limits = limits
  }

  begin(attempt: SignInAttempt): Promise<number | null> {
    const limits = this.#limits()
    return this.#store.change(keysOf(attempt), (counts, now) => begin(attempt, { counts, limits, now }))
  }

  succeeded(attempt: SignInAttempt): Promise<void> {
    return this.#store.change(keysOf(attempt), (counts) => forgive(attempt, counts))
  }
}

interface Judging {
  readonly counts: Counts
  readonly limits: SignInLimits
  /** Milliseconds on the clock of the counts. */
  readonly now: number
}

/** Counts the attempt as a failure, or returns how many seconds it has to wait. */
function begin(attempt: SignInAttempt, { counts, limits, now }: Judging): number | null {
  const { attempts, lockSeconds } = limits
  const own = ownKey(attempt)
  const count = currentCount(counts, own, now)
  if (count.lockedUntil > now) return Math.ceil((count.lockedUntil - now) / 1000)
  const budgets = budgetKeys(attempt)
  const isUsedUp = budgets.some((key) => currentCount(counts, key, now).failures >= attempts * budgetFactor)
  if (isUsedUp && !count.hasWaited) {
    put(counts, own, { ...count, lockedUntil: now + lockSeconds * 1000, hasWaited: true })
    return Math.ceil(lockSeconds)
  }
  const failures = count.failures + 1
  const waitMs = failures < attempts ? 0 : lockMs(lockSeconds, failures - attempts)
  put(counts, own, { failures, lockedUntil: now + waitMs, hasWaited: waitMs > 0 })
  for (const key of budgets)
    put(counts, key, { ...nothing, failures: currentCount(counts, key, now).failures + 1, lockedUntil: now })
  return null
}

function forgive(attempt: SignInAttempt, counts: Counts): void {
  const own = ownKey(attempt)
  const { failures } = counts.get(own) ?? nothing
  counts.delete(own)
  for (const key of budgetKeys(attempt)) {
    const budget = counts.get(key)
    // Only its own: who knows one password must not win fresh guesses at the others with it.
    if (budget !== undefined) counts.set(key, { ...budget, failures: Math.max(0, budget.failures - failures) })
  }
}

function currentCount(counts: Counts, key: string, now: number): SignInCount {
  const count = counts.get(key)
  return count === undefined || now - count.lockedUntil > signInForgetMs ? nothing : count
}

/** As the last one in the order of a map. */
function put(counts: Counts, key: string, count: SignInCount): void {
  counts.delete(key)
  counts.set(key, count)
}

function lockMs(lockSeconds: number, doublings: number): number {
  return Math.min(lockSeconds * 2 ** Math.min(doublings, 20), Math.max(lockSeconds, lockSecondsMax)) * 1000
}

function ownKey({ email, address, browser }: SignInAttempt): string {
  return browser === null ? `client ${networkOf(address)} ${email}` : `browser ${browser} ${email}`
}

function keysOf(attempt: SignInAttempt): readonly string[] {
  return [ownKey(attempt), ...budgetKeys(attempt)]
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
