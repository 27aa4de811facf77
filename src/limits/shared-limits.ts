/**
 * The limits of one of several processes: its ledger, and the loops and connections that keep it up to
 * date. Whatever fails is tried again; until then the process goes on with what it owns.
 */
import type { Clock } from '#lib/clock.ts'
import { Loop } from '#lib/loop.ts'
import { Exchange } from './exchange.ts'
import type { Place } from './place.ts'
import { rateUnits, type RateParts } from './rate-buckets.ts'
import { RosterMember, type RosterStore } from './roster.ts'
import { SharedInflightLimiter } from './shared-inflight.ts'
import { SlotLedger } from './slot-ledger.ts'

/** What a connection of its own hears of the other processes. */
export interface LimitNotices {
  /** Members, acknowledgements or the token have changed. */
  readonly onRoster: () => void
  readonly onHint: (hint: string) => void
  /** The connection is gone; also called after it was closed. */
  readonly onEnd: () => void
}

export interface SharedLimitsOptions {
  readonly roster: RosterStore
  readonly openPlace: (onHint: (hint: string) => void) => Place
  readonly listen: (notices: LimitNotices) => Promise<AsyncDisposable>
  readonly processId: string
  /** Another number after each time in which this process may have counted as gone; null while it may. */
  readonly tenure: () => number | null
  readonly clock: Clock
  /** `place`: the shared place; `roster`: what is written about the members. Null: it works again. */
  readonly onFailure: (what: 'place' | 'roster', failure: unknown) => void
}

/** The roster is read at least so often; changes are announced. */
const lookMs = 500
/** A place that is away is asked so often, and what was not sent is sent. */
const beatMs = 250

export class SharedLimits implements AsyncDisposable {
  readonly inflight: SharedInflightLimiter
  readonly #options: SharedLimitsOptions
  readonly #place: Place
  readonly #ledger = new SlotLedger()
  readonly #exchange: Exchange
  readonly #member: RosterMember
  readonly #loops: readonly Loop[]
  #looking: Promise<void> | null = null
  #lookAgain = false
  #isFailing = false
  #isClosed = false
  #ears: AsyncDisposable | null = null

  /** Joins the others as soon as they can be reached. */
  constructor(options: SharedLimitsOptions) {
    const { roster, clock, processId, tenure, onFailure } = options
    const ledger = this.#ledger
    this.#options = options
    this.#place = options.openPlace((hint) => this.#exchange.hear(hint))
    this.#exchange = new Exchange({
      ledger,
      place: this.#place,
      clock,
      onMore: (keys) => this.inflight.serve(keys),
      onFree: (keys) => this.inflight.claim(keys),
      onAway: (failure) => onFailure('place', failure),
      onVoid: () => void this.look(),
    })
    this.#member = new RosterMember({
      store: roster,
      ledger,
      exchange: this.#exchange,
      place: this.#place,
      processId,
      tenure,
    })
    const isOwner = (): boolean => this.#member.isOwner
    this.inflight = new SharedInflightLimiter({ ledger, exchange: this.#exchange, clock, isOwner })
    this.#loops = [
      new Loop({ intervalMs: lookMs, work: () => this.look(), onError: () => undefined }),
      new Loop({ intervalMs: beatMs, work: () => this.#beat(), onError: () => undefined }),
    ]
  }

  /** Which part of each rate this process owns. */
  get rateParts(): RateParts {
    const ledger = this.#ledger
    const owned = (units: number): number => (this.#member.isOwner ? units / rateUnits : 0)
    return {
      startsFull: false,
      partOf: (key) => owned(ledger.capOf(key, rateUnits)),
      leastPartOf: (key) => owned(ledger.leastCapOf(key, rateUnits)),
      use: (key, part) => ledger.occupy(key, rateUnits, Math.ceil(part * rateUnits)),
      want: (key, part) => {
        ledger.occupy(key, rateUnits, rateUnits)
        const missing = Math.ceil(part * rateUnits) - ledger.capOf(key, rateUnits)
        if (!this.#exchange.isReady) return
        ledger.ask(key, Math.max(rateUnits / 5, missing), this.#options.clock.elapsed())
        void this.#exchange.flush()
      },
    }
  }

  /** Reads the roster and does what it asks for. Never rejects. */
  look(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    // The one under way may have read before what the caller knows of.
    this.#lookAgain = true
    this.#looking ??= this.#lookUntilCurrent().finally(() => (this.#looking = null))
    return this.#looking
  }

  /** Leaves the others. Nothing may be in use any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const loop of this.#loops) await loop[Symbol.asyncDispose]()
    await this.#looking
    this.#isClosed = true
    await this.#member.leave().catch(() => undefined)
    await this.#ears?.[Symbol.asyncDispose]()
    await this.#place[Symbol.asyncDispose]()
  }

  async #lookUntilCurrent(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false
      try {
        // Before reading, so that nothing written later is missed.
        this.#ears ??= await this.#listen()
        await this.#member.look()
        if (this.#isFailing) this.#options.onFailure('roster', null)
        this.#isFailing = false
      } catch (failure) {
        if (!this.#isFailing) this.#options.onFailure('roster', failure)
        this.#isFailing = true
      }
    }
  }

  #listen(): Promise<AsyncDisposable> {
    return this.#options.listen({
      onRoster: () => void this.look(),
      onHint: (hint) => this.#exchange.hear(hint),
      onEnd: () => (this.#ears = null),
    })
  }

  async #beat(): Promise<void> {
    this.#ledger.forget()
    this.#ledger.rebalance(this.#options.clock.elapsed())
    await this.#exchange.beat()
  }
}
