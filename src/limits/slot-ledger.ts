/**
 * What this process may use of each limit, and what it uses. No input or output happens here: the
 * roster (roster.ts) says who the members are, the exchange (exchange.ts) carries claims to the shared
 * place. docs/decisions/limits-ledger.md has the protocol and the argument; the rules that it needs:
 *
 * - `cap` is what this process may use of a key. It rises only by `settle`, `thaw` and grants.
 * - `prepare` lowers every cap to the share in the next epoch and names the keys that are in use above it.
 * - A key that some member named is frozen in that epoch: caps stay where `prepare` has put them, and only
 *   grants of the place raise them, once every member has a row there.
 */
import { View } from './fair-share.ts'
import type { Claim } from './place.ts'

/** A key in use above the share of the next epoch, with the limit as this process knows it. */
export interface Excess {
  readonly key: string
  readonly limit: number
}

/** One key in use, or with a cap that is not the fair share. */
interface Entry {
  /** The last finite limit; `Infinity` before there was one. */
  limit: number
  inUse: number
  cap: number
  /** The smallest cap since `leastCapOf` was asked last. */
  least: number
  /** The cap does not follow from the limit and the members alone. */
  isExplicit: boolean
  /** The place may hold a row of this process in this epoch. */
  isSent: boolean
  want: number
  /** Ask for `want` without telling the others that it is wanted. */
  isQuiet: boolean
  /** When more was last asked for here. */
  wantedAt: number
  /** When a part was last lent: it is not taken back before the borrower could ask for it. */
  lentAt: number
  /** When a part that was in use was last given up. */
  yieldedAt: number
}

/** What another process asks for. */
export interface Wanted {
  readonly key: string
  readonly limit: number
  readonly amount: number
  /** How much of it brings that process to its fair share; `one` when it has nothing, and its share is nothing. */
  readonly due: number | 'one'
}

/** A claim, with what the ledger has to know when the answer comes. */
export interface SentClaim extends Claim {
  readonly isQuiet: boolean
}

export class SlotLedger {
  readonly #entries = new Map<string, Entry>()
  /** Keys whose claim has to be sent, in the order in which that became so. */
  readonly #unsent = new Set<string>()
  /** The view of the last settled epoch and those prepared since; empty: this process has no share of anything. */
  #views: readonly View[] = []
  /** The last prepared view; not settled while it is the last of several. */
  #view: View | null = null
  #isSettled = false
  /** For each frozen key the views whose smallest share bounds a cap that has no entry. */
  #frozen = new Map<string, readonly View[]>()

  /** The view of the epoch that is in effect here, null while none is. */
  get settledView(): View | null {
    return this.#isSettled ? this.#view : null
  }

  /** Takes one slot and returns how many are in use; null when this process may not use more. `Infinity` only counts. */
  take(key: string, limit: number): number | null {
    const entry = this.#entry(key, limit)
    if (limit !== Infinity && entry.inUse >= entry.cap) return null
    entry.inUse += 1
    return entry.inUse
  }

  /** Whether `take` would give a slot. */
  hasRoom(key: string, limit: number): boolean {
    const entry = this.#entries.get(key)
    return entry === undefined ? this.#defaultCap(key, limit) > 0 : entry.inUse < entry.cap
  }

  /** Gives one slot back. True when it is no longer this process's, and the others have to learn that it is free. */
  release(key: string, now: number): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    entry.inUse -= 1
    // Above its cap, each request that ends lowers what this process claims.
    const isGivenUp = entry.isSent && entry.inUse >= entry.cap
    if (!isGivenUp) return false
    entry.yieldedAt = now
    this.#unsent.add(key)
    return true
  }

  /** Slots in use, by key. */
  *inUse(): Iterable<readonly [string, number]> {
    for (const [key, { inUse }] of this.#entries) if (inUse > 0) yield [key, inUse]
  }

  /** What this process may use of a key. */
  capOf(key: string, limit: number): number {
    return this.#entries.get(key)?.cap ?? this.#defaultCap(key, limit)
  }

  /** The smallest of the caps since this was asked last. */
  leastCapOf(key: string, limit: number): number {
    const entry = this.#entry(key, limit)
    const { least } = entry
    entry.least = entry.cap
    return least
  }

  /** Says how much of a key is in use, for keys of which nothing is taken slot by slot. */
  occupy(key: string, limit: number, inUse: number): void {
    const entry = this.#entry(key, limit)
    if (entry.isSent && entry.inUse > entry.cap) this.#unsent.add(key)
    entry.inUse = Math.min(inUse, entry.cap)
  }

  /** This process may have been counted as gone: it owns nothing until it is settled again. */
  lapse(): void {
    this.#views = []
    this.#view = null
    this.#isSettled = false
    this.#frozen = new Map()
    this.#unsent.clear()
    for (const entry of this.#entries.values()) Object.assign(entry, { cap: 0, least: 0, isExplicit: true, ...untold })
  }

  /** Lowers every cap to the share in the next epoch. */
  prepare(view: View): void {
    this.#view = view
    this.#isSettled = false
    if (this.#views.length > 0) this.#views = [...this.#views, view]
    this.#unsent.clear()
    for (const [key, views] of this.#frozen) if (views.length > 0) this.#frozen.set(key, [...views, view])
    for (const [key, entry] of this.#entries) {
      lower(entry, entry.limit === Infinity ? 0 : view.ownShare(key, entry.limit))
      Object.assign(entry, untold)
    }
  }

  /** Keys in use above the share in the prepared epoch. */
  excesses(): readonly Excess[] {
    const view = this.#view
    if (view === null) return []
    return [...this.#entries]
      .filter(([key, { inUse, limit }]) => limit !== Infinity && inUse > view.ownShare(key, limit))
      .map(([key, { limit }]) => ({ key, limit }))
  }

  /** Every member has prepared the epoch: all keys but those with an excess go to their shares. */
  settle(excesses: readonly Excess[]): void {
    const view = this.#view
    if (view === null || this.#isSettled) return
    const frozen = new Map(excesses.map(({ key }) => [key, this.#frozen.get(key) ?? this.#views]))
    for (const { key, limit } of excesses) {
      this.#entry(key, limit).isExplicit = true
      this.#unsent.add(key)
    }
    this.#frozen = frozen
    this.#views = [view]
    this.#isSettled = true
    for (const [key, entry] of this.#entries) {
      if (!frozen.has(key)) this.#reset(key, entry)
    }
  }

  /** Frozen keys that no member uses above its share any more go to their shares, unless the place knows a claim. */
  thaw(excesses: readonly Excess[]): void {
    const still = new Set(excesses.map(({ key }) => key))
    for (const key of this.#frozen.keys()) {
      if (still.has(key)) continue
      this.#frozen.delete(key)
      const entry = this.#entries.get(key)
      if (entry !== undefined && !entry.isSent) this.#reset(key, entry)
    }
  }

  /** Asks for so many more slots of a key at the next exchange, unless it has just given some up for others. */
  ask(key: string, want: number, now: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined || (now >= entry.yieldedAt && now - entry.yieldedAt < yieldMs)) return
    entry.want = want
    entry.isQuiet = false
    entry.wantedAt = now
    this.#unsent.add(key)
  }

  /** What is to be sent, up to `most` claims. Empty while not settled. */
  claims(most: number): readonly SentClaim[] {
    const view = this.settledView
    if (view === null || view.self < 0) return []
    const claims: SentClaim[] = []
    for (const key of this.#unsent) {
      if (claims.length === most) break
      this.#unsent.delete(key)
      const entry = this.#entries.get(key)
      if (entry !== undefined && entry.limit !== Infinity) claims.push(this.#claim(view, key, entry))
    }
    return claims
  }

  /** The answer to claims of this epoch; returns those that got less than they wanted. */
  granted(claims: readonly SentClaim[], grants: readonly number[]): readonly SentClaim[] {
    const short: SentClaim[] = []
    for (const [index, claim] of claims.entries()) {
      const entry = this.#entries.get(claim.key)
      if (entry === undefined) continue
      const grant = grants[index] ?? 0
      // Granted of another limit than is in effect now: it goes back.
      if (entry.limit === claim.limit) entry.cap += grant
      else this.#unsent.add(claim.key)
      if (grant < claim.want && !claim.isQuiet) short.push(claim)
      const isShare = claim.have + grant === claim.shares[this.#view?.self ?? -1] && entry.cap === claim.have + grant
      if (isShare && !this.#unsent.has(claim.key)) this.#reset(claim.key, entry)
      else if (Math.max(entry.cap, entry.inUse) !== claim.have + grant) this.#unsent.add(claim.key)
    }
    return short
  }

  /** Nobody knows whether these claims have arrived. */
  lost(claims: readonly SentClaim[]): void {
    for (const { key } of claims) this.#unsent.add(key)
  }

  /**
   * Another process wants more of a key: gives what is idle here, and returns how much. A key that is busy here keeps
   * half of it. What is due goes even when it is in use: it is given up as its requests end.
   */
  lend({ key, limit, amount, due }: Wanted, now: number): number {
    const view = this.settledView
    if (view === null) return 0
    const entry = this.#entries.get(key) ?? this.#entry(key, limit)
    if (entry.limit !== limit || entry.cap === 0) return 0
    const idle = Math.max(0, entry.cap - entry.inUse)
    const isBusy = entry.inUse > 0 && now - entry.wantedAt < busyMs
    const spare = isBusy ? Math.ceil(idle / 2) : idle
    const borrowed = Math.max(0, entry.cap - view.ownShare(key, limit))
    const lent = Math.min(amount, Math.max(spare, due === 'one' ? 1 : Math.min(due, borrowed)))
    if (lent === 0) return 0
    lower(entry, entry.cap - lent)
    entry.isExplicit = true
    entry.lentAt = now
    if (lent > spare) entry.yieldedAt = now
    this.#unsent.add(key)
    return lent
  }

  /** Forgets keys that are not in use. At intervals and not at each release, since most are used again soon. */
  forget(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.inUse === 0 && !entry.isExplicit && entry.want === 0) this.#entries.delete(key)
    }
  }

  /** Brings keys that were not fought for lately back to their shares: gives what is above, asks for what is below. */
  rebalance(now: number): void {
    const view = this.settledView
    if (view === null) return
    for (const [key, entry] of this.#entries) {
      if (!entry.isExplicit || entry.limit === Infinity || now - Math.max(entry.wantedAt, entry.lentAt) < idleMs)
        continue
      const share = view.ownShare(key, entry.limit)
      const cap = Math.min(entry.cap, Math.max(share, entry.inUse))
      if (cap < entry.cap) lower(entry, cap)
      else if (cap < share) Object.assign(entry, { want: share - cap, isQuiet: true })
      else if (cap > share || this.#frozen.has(key)) continue
      this.#unsent.add(key)
    }
  }

  #claim(view: View, key: string, entry: Entry): SentClaim {
    const { limit, cap, inUse, want, isQuiet } = entry
    const shares = view.shares(key, limit)
    const isFrozen = this.#frozen.has(key)
    const claim = {
      key,
      limit,
      have: Math.max(cap, inUse),
      want: inUse > cap ? 0 : want,
      // While a key is frozen, a member without a row may use any part of the limit, and no row is left out.
      shares: isFrozen ? shares.map((_share, index) => (index === view.self ? -1 : limit)) : shares,
      isQuiet,
    }
    Object.assign(entry, { isSent: true, isExplicit: true, want: 0 })
    return claim
  }

  #entry(key: string, limit: number): Entry {
    const found = this.#entries.get(key)
    if (found !== undefined) {
      if (limit !== found.limit && limit !== Infinity) this.#adopt(key, found, limit)
      return found
    }
    const cap = limit === Infinity ? 0 : this.#defaultCap(key, limit)
    const isExplicit = this.#frozen.has(key)
    const entry: Entry = {
      limit,
      inUse: 0,
      cap,
      least: cap,
      isExplicit,
      wantedAt: -Infinity,
      lentAt: -Infinity,
      yieldedAt: -Infinity,
      ...untold,
    }
    this.#entries.set(key, entry)
    return entry
  }

  /** A limit has changed. A cap that was agreed on with the others only falls. */
  #adopt(key: string, entry: Entry, limit: number): void {
    const cap = this.#defaultCap(key, limit)
    const isFirst = entry.limit === Infinity
    entry.limit = limit
    if (entry.isExplicit && !isFirst) lower(entry, cap)
    else entry.cap = cap
    entry.least = Math.min(entry.least, entry.cap)
    if (entry.isSent) this.#unsent.add(key)
  }

  #defaultCap(key: string, limit: number): number {
    const views = this.#frozen.get(key) ?? this.#views
    let cap = views.length === 0 ? 0 : limit
    for (const view of views) cap = Math.min(cap, view.ownShare(key, limit))
    return cap
  }

  #reset(key: string, entry: Entry): void {
    const cap = entry.limit === Infinity ? 0 : this.#defaultCap(key, entry.limit)
    Object.assign(entry, { cap, least: Math.min(entry.least, cap), isExplicit: false, ...untold })
    if (entry.inUse === 0) this.#entries.delete(key)
  }
}

/** Lowers the cap; one that is lower already stays. */
function lower(entry: Entry, cap: number): void {
  entry.cap = Math.min(entry.cap, cap)
  entry.least = Math.min(entry.least, entry.cap)
}

/** The place has no row for the entry, for example in a new epoch. */
const untold = { isSent: false, want: 0, isQuiet: false }

/** A key counts as busy for this long after it had too little. */
const busyMs = 1000
/** What was given up is not asked for again for this long: those who are due ask first. */
const yieldMs = 100
/** A key goes back to its share when nobody here has wanted more for this long. */
const idleMs = 3000
