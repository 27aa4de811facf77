/**
 * The hard budgets of one process: reserves what requests may cost from slices that it holds, takes more before they
 * run out, and gives back what is idle. A request waits only when a slice is empty.
 */
import type { Clock } from '#lib/clock.ts'
import { nanoMax } from '#pricing/nano.ts'
import { holderLapseMs, type BudgetPlace } from './budget-place.ts'
import { sliceOf } from './budget.ts'
import { Slice, type SliceAnswer } from './slice.ts'

/** What a request reserves of one counter. */
export interface Charge {
  readonly counter: string
  readonly amount: number
}

export type Admission =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  | { readonly kind: 'exceeded'; readonly charge: Charge; readonly left: number }
  /** The shared place does not answer, and this process holds too little. */
  | { readonly kind: 'unavailable'; readonly failure: unknown }

export interface BudgetLedgerOptions {
  readonly place: BudgetPlace
  readonly clock: Clock
  readonly onFailure: (failure: unknown) => void
}

/** A slice with what the process knows about its use. */
interface Entry {
  readonly slice: Slice
  /** The exchange under way; null without one. */
  flight: Promise<Outcome> | null
  /** What requests that wait need, together. */
  needed: number
  /** The least of them. */
  least: number
  usedAt: number
  /** What a request usually reserves. */
  typical: number
  /** What nobody held after the last exchange; null before the first. */
  free: number | null
  /** Until then an answer that nothing is free is not waited for. */
  refusedUntil: number
}

type Outcome =
  | { readonly kind: 'answered'; readonly answer: SliceAnswer }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly failure: unknown }

/** Requests' worth that is taken ahead, and at which more is taken. */
const takenAhead = 64
const lowWater = 8
const idleMs = 5000
/** Each beat gives back for so long, some counters at the same time. */
const giveBackMs = 2000
const givers = 4
/** The longest wait of a request that others are always faster than. */
const longestMs = 10_000
/** A request waits so long for others to give back what they do not need. */
const patienceMs = 1500
const askAgainMs = 100

export class BudgetLedger {
  readonly #options: BudgetLedgerOptions
  readonly #entries = new Map<string, Entry>()
  #holder = crypto.randomUUID()
  #isOpen = false
  #beatenAt = -Infinity
  /** The highest number of a change of slices that are no longer here. */
  #lastSequence = 0

  constructor(options: BudgetLedgerOptions) {
    this.#options = options
  }

  /** The name under which this process holds money. */
  get holder(): string {
    return this.#holder
  }

  /** What is left of a counter as far as this process knows: what it holds, and what was free when it last took some. */
  leftOf(counter: string): number | null {
    const entry = this.#entries.get(counter)
    if (entry === undefined || entry.free === null) return null
    return Math.max(0, entry.slice.available) + entry.free
  }

  /** What this process holds of a counter and no request has reserved. */
  availableOf(counter: string): number {
    return this.#entries.get(counter)?.slice.available ?? 0
  }

  /** Reserves all of these or none. */
  async admit(charges: readonly Charge[]): Promise<Admission> {
    const startedAt = this.#options.clock.elapsed()
    for (;;) {
      const reservation = this.reserve(charges)
      if (reservation !== null) return { kind: 'reserved', reservation }
      for (const charge of charges) {
        if (this.availableOf(charge.counter) >= charge.amount && this.#isTrusted) continue
        const refused = await this.#refill(charge, startedAt)
        if (refused !== null) return refused
      }
      if (this.#options.clock.elapsed() - startedAt > longestMs)
        return { kind: 'unavailable', failure: new Error('other requests were always faster') }
    }
  }

  /** Reserves all of these from what is held, or none of them. */
  reserve(charges: readonly Charge[]): Reservation | null {
    if (!this.#isTrusted) return null
    const taken: Part[] = []
    for (const { counter, amount } of charges) {
      const entry = this.#entry(counter)
      if (!entry.slice.reserve(amount)) {
        for (const part of taken) part.slice.settle(part.amount, 0)
        return null
      }
      taken.push({ slice: entry.slice, amount })
      entry.usedAt = this.#options.clock.elapsed()
      entry.typical = Math.max(amount, Math.floor(entry.typical * 0.9))
      if (entry.slice.available < entry.typical * lowWater) this.#takeAhead(entry)
    }
    return new Reservation(this.#holder, taken)
  }

  /** At intervals: says that the process lives, and gives back what is idle or wanted elsewhere. Never rejects. */
  async beat(): Promise<void> {
    if (!this.#isOpen) return
    try {
      if (await this.#sayAlive()) await this.#giveBack()
    } catch (failure) {
      this.#options.onFailure(failure)
    }
  }

  /** Gives back all; for the stop, when no request runs and every record is stored. */
  async close(): Promise<void> {
    if (!this.#isOpen) return
    for (const { flight } of this.#entries.values()) await flight
    await this.#options.place.close(this.#holder)
    this.#startOver()
  }

  /** While others may count this process as gone, what it holds is not its own. */
  get #isTrusted(): boolean {
    return this.#isOpen && this.#options.clock.elapsed() - this.#beatenAt < holderLapseMs
  }

  #entry(counter: string): Entry {
    return this.#entries.getOrInsertComputed(counter, () => ({
      slice: new Slice({ id: sliceOf(counter, this.#holder), counter, holder: this.#holder }, this.#lastSequence),
      flight: null,
      needed: 0,
      least: Infinity,
      usedAt: this.#options.clock.elapsed(),
      typical: 0,
      free: null,
      refusedUntil: -Infinity,
    }))
  }

  /** Takes more for a request that waits; null when trying to reserve again makes sense. */
  async #refill(charge: Charge, startedAt: number): Promise<Admission | null> {
    const { clock } = this.#options
    if (!this.#isTrusted) {
      const failure = await this.#open()
      if (failure !== null) return { kind: 'unavailable', failure }
    }
    const entry = this.#entry(charge.counter)
    const missing = charge.amount - entry.slice.available
    if (missing <= 0) return null
    entry.needed += missing
    entry.least = Math.min(entry.least, missing)
    const outcome = await (entry.flight ?? this.#take(entry, charge.amount))
    entry.needed -= missing
    if (outcome.kind === 'failed') return { kind: 'unavailable', failure: outcome.failure }
    if (outcome.kind === 'gone') return null
    const { slice } = entry
    const left = Math.max(0, slice.available) + outcome.answer.free
    if (left >= charge.amount) return null
    const waited = clock.elapsed() - startedAt
    const mayWait = outcome.answer.heldByOthers > 0 && clock.elapsed() > entry.refusedUntil && waited < patienceMs
    if (mayWait) {
      await Bun.sleep(askAgainMs)
      return null
    }
    entry.refusedUntil = Math.max(entry.refusedUntil, clock.elapsed() + patienceMs)
    return { kind: 'exceeded', charge, left }
  }

  #take(entry: Entry, amount: number): Promise<Outcome> {
    const least = entry.least === Infinity ? 1 : entry.least
    const wanted = Math.max(least, entry.needed, Math.max(amount, entry.typical) * takenAhead)
    const want = Math.min(nanoMax, wanted)
    entry.slice.take(want, least)
    entry.least = Infinity
    return this.#exchange(entry)
  }

  #takeAhead(entry: Entry): void {
    const { clock } = this.#options
    if (entry.flight !== null || clock.elapsed() < entry.refusedUntil) return
    void this.#take(entry, 1).then((outcome) => {
      if (outcome.kind === 'answered' && outcome.answer.free === 0) entry.refusedUntil = clock.elapsed() + askAgainMs
    })
  }

  /** Sends the pending change of a slice. */
  #exchange(entry: Entry): Promise<Outcome> {
    const { place, onFailure } = this.#options
    const { slice } = entry
    const change = slice.pending
    if (change === null) throw new Error('a slice has nothing to send')
    const exchange = async (): Promise<Outcome> => {
      try {
        const answer = await place.change(change)
        if (answer === null) {
          // Another exchange may have noticed it before.
          if (change.holder === this.#holder) this.#startOver()
          return { kind: 'gone' }
        }
        slice.answered(change, answer)
        entry.free = answer.free
        return { kind: 'answered', answer }
      } catch (failure) {
        onFailure(failure)
        return { kind: 'failed', failure }
      } finally {
        entry.flight = null
      }
    }
    return (entry.flight = exchange())
  }

  async #open(): Promise<unknown> {
    try {
      if (this.#isOpen && (await this.#sayAlive())) return null
      if (this.#isOpen) return null
      const holder = this.#holder
      const askedAt = this.#options.clock.elapsed()
      await this.#options.place.open(holder)
      if (holder === this.#holder) {
        this.#isOpen = true
        this.#beatenAt = askedAt
      }
      return null
    } catch (failure) {
      this.#options.onFailure(failure)
      return failure
    }
  }

  /** False when this process begins under a new name. An answer that comes late says only that the process was known when it asked. */
  async #sayAlive(): Promise<boolean> {
    const holder = this.#holder
    const askedAt = this.#options.clock.elapsed()
    const isKnown = await this.#options.place.beat(holder)
    if (holder !== this.#holder) return false
    if (isKnown) this.#beatenAt = Math.max(this.#beatenAt, askedAt)
    else this.#startOver()
    return isKnown
  }

  /** What was held is no longer this process's: running requests keep what they reserved, new ones begin under a new name. */
  #startOver(): void {
    this.#holder = crypto.randomUUID()
    this.#entries.clear()
    this.#isOpen = false
    this.#beatenAt = -Infinity
  }

  /** What is left over after some time is given back at the next beat: the heartbeat must not wait for thousands of counters. */
  async #giveBack(): Promise<void> {
    const { clock, place } = this.#options
    const startedAt = clock.elapsed()
    const holding = [...this.#entries.values()].filter(({ slice }) => slice.available > 0 || slice.pending !== null)
    if (holding.length === 0) return
    const wanted = new Set(await place.wanted(holding.map(({ slice }) => slice.counter)))
    // Others wait for what they want.
    const urgent = holding.filter(({ slice }) => wanted.has(slice.counter))
    const idle = holding.filter(
      (entry) => !wanted.has(entry.slice.counter) && (entry.slice.pending !== null || this.#isIdle(entry)),
    )
    const left = [...urgent, ...idle].values()
    const giveSome = async (): Promise<void> => {
      for (const entry of left) {
        if (clock.elapsed() - startedAt > giveBackMs) return
        await this.#giveBackOf(entry)
      }
    }
    await Promise.all(Array.from({ length: givers }, giveSome))
  }

  #isIdle({ usedAt }: Entry): boolean {
    return this.#options.clock.elapsed() - usedAt > idleMs
  }

  async #giveBackOf(entry: Entry): Promise<void> {
    const { slice } = entry
    if (entry.flight !== null) return
    const isIdle = this.#isIdle(entry)
    const kept = isIdle ? 0 : Math.floor(slice.available / 2)
    if (slice.pending !== null || slice.give(slice.available - kept) !== null) await this.#exchange(entry)
    if (isIdle && slice.available === 0 && slice.reserved === 0 && slice.pending === null) this.#forget(slice)
  }

  #forget(slice: Slice): void {
    this.#lastSequence = Math.max(this.#lastSequence, slice.sequence)
    this.#entries.delete(slice.counter)
  }
}

interface Part {
  readonly slice: Slice
  readonly amount: number
}

/** What one request has reserved, until its cost is known. */
export class Reservation {
  readonly holder: string
  readonly #parts: readonly Part[]
  #isOpen = true

  constructor(holder: string, parts: readonly Part[]) {
    this.holder = holder
    this.#parts = parts
  }

  /** The counters that it is reserved of, with the amounts. */
  get charges(): readonly Charge[] {
    return this.#parts.map(({ slice, amount }) => ({ counter: slice.counter, amount }))
  }

  /**
   * The request has ended: these counters are charged with its cost, the others with nothing. A second time does nothing.
   */
  settle(cost: number, charged: ReadonlySet<string>): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    for (const { slice, amount } of this.#parts) slice.settle(amount, charged.has(slice.counter) ? cost : 0)
  }
}
