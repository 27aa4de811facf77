/**
 * Agrees with the other processes on who the members are. The members of an epoch are written in the
 * database; a change of the members, or a place that has lost its state, begins the next epoch. Each
 * member lowers its caps for it (`prepare`) and then acknowledges it; when all have done so, each goes
 * to its share (`settle`). So a new member owns nothing before all others have made room, and nobody takes
 * over from a process that may still be running.
 *
 * A member is a process during one tenure: the time in which its heartbeat has not lapsed. Only with
 * a lapse can others count it as gone, and after one it is another member.
 */
import { View } from './fair-share.ts'
import type { Exchange } from './exchange.ts'
import type { Place } from './place.ts'
import type { Excess, SlotLedger } from './slot-ledger.ts'

export interface RosterRow {
  readonly name: string
  /** Its process is registered: it may be running. */
  readonly isPresent: boolean
  /** The epoch that it has acknowledged. */
  readonly epoch: number
  /** Keys that it uses above its share in that epoch. */
  readonly excesses: readonly Excess[]
}

/** Everything at one moment. */
export interface Roster {
  readonly epoch: number
  /** The members of the epoch, sorted. */
  readonly members: readonly string[]
  /** Token of the place in this epoch; null before one is agreed on. */
  readonly token: string | null
  /** All who have entered and not left. */
  readonly rows: readonly RosterRow[]
}

/** Where the members are written. Each call is atomic. */
export interface RosterStore {
  read(): Promise<Roster>
  /** Adds a row; earlier ones of the same process go. */
  enter(name: string, processId: string): Promise<void>
  leave(name: string): Promise<void>
  acknowledge(name: string, epoch: number, excesses: readonly Excess[]): Promise<void>
  /** Begins the epoch after this one, unless that has happened; rows of processes that are gone may go. */
  advance(from: number, members: readonly string[]): Promise<void>
  /** Sets the token of an epoch that has none. */
  agree(epoch: number, token: string): Promise<void>
}

export interface RosterMemberOptions {
  readonly store: RosterStore
  readonly ledger: SlotLedger
  readonly exchange: Exchange
  readonly place: Place
  readonly processId: string
  /** Another number after each lapse of the heartbeat; null while it has lapsed. */
  readonly tenure: () => number | null
}

/** Steps that one look makes at most; the next look goes on. */
const stepsMax = 10

export class RosterMember {
  readonly #options: RosterMemberOptions
  #tenure: number | null = null
  #name = ''
  #view: View | null = null
  /** As this member has acknowledged them. */
  #excesses: readonly Excess[] = []

  constructor(options: RosterMemberOptions) {
    this.#options = options
  }

  /** Whether what the ledger says is this process's to use. Ask at each use, and after it has waited. */
  get isOwner(): boolean {
    return this.#tenure !== null && this.#tenure === this.#options.tenure()
  }

  /** Reads the roster and does what it asks for. Rejects when the store cannot be used; call it again later. */
  async look(): Promise<void> {
    for (let step = 0; step < stepsMax; step += 1) {
      if (!(await this.#enter())) return
      if (await this.#step(await this.#options.store.read())) return
    }
  }

  /** The others need not wait for this process any more. Nothing may be in use. */
  async leave(): Promise<void> {
    this.#tenure = null
    this.#options.ledger.lapse()
    if (this.#name !== '') await this.#options.store.leave(this.#name)
  }

  /** False while there is no tenure. */
  async #enter(): Promise<boolean> {
    const { store, ledger, processId } = this.#options
    const tenure = this.#options.tenure()
    if (tenure === null) return false
    if (tenure === this.#tenure) return true
    ledger.lapse()
    this.#view = null
    this.#name = `${processId}.${tenure}`
    await store.enter(this.#name, processId)
    this.#tenure = tenure
    return true
  }

  /** True when nothing is left to do until something changes. */
  async #step(roster: Roster): Promise<boolean> {
    const { store, ledger } = this.#options
    const present = roster.rows.filter((row) => row.isPresent).map(({ name }) => name)
    const own = roster.rows.find(({ name }) => name === this.#name)
    if (own === undefined) {
      // Only a process that has been counted as gone loses its row: it is another member from now on.
      ledger.lapse()
      this.#tenure = null
      return false
    }
    if (!own.isPresent) return true
    if (!isSame(present.sort(), roster.members)) {
      await store.advance(roster.epoch, present)
      return false
    }
    if (this.#view?.epoch !== roster.epoch) {
      this.#view = new View(roster.epoch, roster.members, this.#name)
      ledger.prepare(this.#view)
      this.#excesses = ledger.excesses()
    }
    if (own.epoch !== roster.epoch) {
      await store.acknowledge(this.#name, roster.epoch, this.#excesses)
      return false
    }
    const members = roster.rows.filter(({ name }) => roster.members.includes(name))
    if (!members.every(({ epoch }) => epoch === roster.epoch)) return true
    const excesses = members.flatMap((row) => row.excesses)
    ledger.settle(excesses)
    ledger.thaw(excesses)
    await this.#reportExcesses(own)
    return this.#usePlace(roster)
  }

  async #usePlace(roster: Roster): Promise<boolean> {
    const { store, exchange, place } = this.#options
    if (this.#view === null) return true
    if (roster.token !== null && exchange.isVoid(roster.token)) {
      await store.advance(roster.epoch, roster.members)
      return false
    }
    if (roster.token !== null) {
      // A process that lends elsewhere, while the setting is being changed: nothing is lent until all use one place.
      if (!roster.token.startsWith(`${place.kind}:`)) return true
      exchange.agree(this.#view, roster.token)
      return true
    }
    // Without the place there is nothing to lend, and each process goes on with its share.
    const token = await place.open(roster.epoch).catch(() => null)
    if (token === null) return true
    await store.agree(roster.epoch, token)
    return false
  }

  /** Also when the row shows more than was acknowledged last: a write that was overtaken on its way. */
  async #reportExcesses(own: RosterRow): Promise<void> {
    if (own.excesses.length === 0) return
    const now = new Set(this.#options.ledger.excesses().map(({ key }) => key))
    this.#excesses = this.#excesses.filter(({ key }) => now.has(key))
    if (this.#excesses.length === own.excesses.length) return
    await this.#options.store.acknowledge(this.#name, own.epoch, this.#excesses)
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name, index) => name === others[index])
}
