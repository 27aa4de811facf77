/**
 * Processes with ledgers, a database and a shared place, in which everything that goes over a network may
 * be late, lost or answered late, and every process may hang, crash and come back. A seed decides all of it.
 */
import { Exchange } from '#limits/exchange.ts'
import { RosterMember } from '#limits/roster.ts'
import { SlotLedger } from '#limits/slot-ledger.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { MemoryPlace, MemoryRoster } from './memory-place.ts'

export interface WorldOptions {
  readonly seed: number
  readonly limits: Readonly<Record<string, number>>
  /** Part of the messages that get lost, from 0 to 1. */
  readonly loss: number
  /** Part of the steps that are faults. */
  readonly faults: number
}

interface Slot {
  readonly key: string
  readonly tenure: number
}

/** One process. */
class Process {
  readonly clock = new ManualClock()
  readonly ledger = new SlotLedger()
  readonly exchange: Exchange
  readonly member: RosterMember
  readonly slots: Slot[] = []
  readonly id: string
  /** Its heartbeat; while it does not beat others may remove it. */
  beats = true
  tenure = 1
  /** Tenures up to this one have been counted as gone: their requests are no longer guaranteed for. */
  goneTenure = 0
  isLooking = false

  constructor(id: string, world: LedgerWorld) {
    this.id = id
    const { ledger, clock } = this
    const place = world.placeFor(this)
    const none = (): void => undefined
    const onMore = (keys: readonly string[]): void => void world.onMore(this, keys)
    this.exchange = new Exchange({ ledger, place, clock, onMore, onFree: onMore, onAway: none, onVoid: none })
    const tenure = (): number | null => (this.beats ? this.tenure : null)
    this.member = new RosterMember({
      store: world.rosterFor(this),
      ledger,
      exchange: this.exchange,
      place,
      processId: id,
      tenure,
    })
  }

  /** In use and guaranteed for. */
  inUse(key: string): number {
    return this.slots.filter((slot) => slot.key === key && slot.tenure > this.goneTenure).length
  }
}

export class LedgerWorld {
  readonly processes: Process[] = []
  /** A process may have more of these keys. */
  onMore: (process: Process, keys: readonly string[]) => unknown = () => undefined
  readonly #options: WorldOptions
  readonly #place = new MemoryPlace((hint) => this.#spread(hint))
  readonly #roster = new MemoryRoster()
  #pending: (() => void)[] = []
  #random: number
  #spawned = 0
  #busiest = 0
  #isCalm = false

  constructor(options: WorldOptions) {
    this.#options = options
    this.#random = options.seed | 1
  }

  placeFor(owner: Process): MemoryPlace {
    const { kind } = this.#place
    return Object.assign(this.#remote(this.#place, owner, ['open', 'exchange', 'tell']), { kind })
  }

  rosterFor(owner: Process): MemoryRoster {
    return this.#remote(this.#roster, owner, ['read', 'enter', 'leave', 'acknowledge', 'advance', 'agree'])
  }

  spawn(): void {
    this.#spawned += 1
    const process = new Process(`p${this.#spawned}`, this)
    this.#roster.processes.add(process.id)
    this.processes.push(process)
  }

  /** One thing happens. */
  async step(): Promise<void> {
    const process = this.processes[this.#below(this.processes.length)]
    const dice = this.#below(1000)
    if (this.#below(1000) < this.#options.faults * 1000 || process === undefined) this.#fault(process)
    else if (dice < 420) this.#deliver()
    else if (dice < 740) this.#takeOrRelease(process)
    else if (dice < 850) this.look(process)
    else if (dice < 920) void process.exchange.flush()
    else if (dice < 960) void process.exchange.beat()
    else if (dice < 990) this.#passTime(process)
    else this.#busiest = this.#below(this.processes.length)
    await drain()
  }

  /** No more faults: everything is delivered, all processes beat and look, in turns, for a while. */
  async calm(rounds: number): Promise<void> {
    this.#isCalm = true
    for (const process of this.processes) this.#revive(process)
    for (let round = 0; round < rounds; round += 1) {
      for (const process of this.processes) {
        process.clock.advance(500)
        this.look(process)
        void process.exchange.beat()
        await this.deliverAll()
      }
    }
  }

  async deliverAll(): Promise<void> {
    await drain()
    while (this.#pending.length > 0) {
      const all = this.#pending
      this.#pending = []
      for (const deliver of all) deliver()
      await drain()
    }
  }

  look(process: Process): void {
    if (process.isLooking) return
    process.isLooking = true
    process.member
      .look()
      .catch(() => undefined)
      .finally(() => (process.isLooking = false))
  }

  take(process: Process, key: string): boolean {
    const limit = this.#options.limits[key] ?? 0
    if (!process.member.isOwner) return false
    if (process.ledger.take(key, limit) === null) {
      if (process.exchange.isReady) process.ledger.ask(key, 1 + this.#below(3), process.clock.elapsed())
      return false
    }
    process.slots.push({ key, tenure: process.tenure })
    return true
  }

  releaseAll(): void {
    for (const process of this.processes) this.releaseAllOf(process)
  }

  releaseAllOf(process: Process): void {
    for (const { key } of process.slots.splice(0)) this.#giveBack(process, key)
  }

  /** What all processes together use or may use at once of each key beyond its limit; empty when that is nothing. */
  violations(): readonly string[] {
    return Object.entries(this.#options.limits).flatMap(([key, limit]) => {
      const uses = this.processes.map((process) => {
        const cap = process.member.isOwner ? process.ledger.capOf(key, limit) : 0
        return `${process.id}: ${Math.max(cap, process.inUse(key))}`
      })
      const sum = uses.reduce((total, use) => total + Number(use.slice(use.indexOf(' '))), 0)
      return sum > limit ? [`${key}: ${uses.join(', ')} of ${limit}`] : []
    })
  }

  /** One process has much more to do than the others, for a while. */
  #takeOrRelease(process: Process): void {
    const keys = Object.keys(this.#options.limits)
    const key = keys[this.#below(keys.length)] ?? ''
    if (this.#below(100) < (this.processes[this.#busiest] === process ? 80 : 45)) this.take(process, key)
    else {
      const [slot] = process.slots.splice(this.#below(process.slots.length), 1)
      if (slot !== undefined) this.#giveBack(process, slot.key)
    }
  }

  #giveBack(process: Process, key: string): void {
    if (process.ledger.release(key, process.clock.elapsed())) process.exchange.freed(key)
  }

  #passTime(process: Process): void {
    process.clock.advance([1, 30, 1500, 4000, -2000][this.#below(5)] ?? 0)
    process.ledger.forget()
    process.ledger.rebalance(process.clock.elapsed())
  }

  #fault(process: Process | undefined): void {
    const dice = this.#below(100)
    if (process === undefined || dice < 8) return this.processes.length < 5 ? this.spawn() : undefined
    if (!process.beats) return dice < 50 ? this.#removeSilent(process) : this.#revive(process)
    if (dice < 30) process.beats = false
    else if (dice < 40) this.#crash(process)
    else if (dice < 60) this.#place.save()
    else if (dice < 80) this.#place.restore()
    else this.#place.empty()
  }

  /** Only a process whose heartbeat has lapsed is counted as gone. */
  #removeSilent(process: Process): void {
    if (process.beats) return
    this.#roster.processes.delete(process.id)
    process.goneTenure = process.tenure
  }

  #revive(process: Process): void {
    if (process.beats) return
    process.tenure += 1
    process.beats = true
    this.#roster.processes.add(process.id)
  }

  #crash(process: Process): void {
    this.processes.splice(this.processes.indexOf(process), 1)
    process.beats = false
    // Its connections break at once, and the others count it as gone some time later.
    this.#pending.push(() => void this.#roster.processes.delete(process.id))
  }

  #spread(hint: string): void {
    for (const process of this.processes) this.#pending.push(() => process.exchange.hear(hint))
  }

  /** The same object behind a network. */
  #remote<T extends object>(target: T, owner: Process, methods: readonly (keyof T)[]): T {
    const through =
      (method: keyof T) =>
      (...args: unknown[]): Promise<unknown> =>
        this.#call(owner, () => (target[method] as (...all: unknown[]) => Promise<unknown>).apply(target, args))
    return Object.fromEntries(methods.map((method) => [method, through(method)])) as T
  }

  #call(owner: Process, run: () => Promise<unknown>): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const answer = (settle: () => void): void => {
      // A process that has crashed hears of nothing.
      this.#pending.push(() => this.processes.includes(owner) && settle())
    }
    const isLost = !this.#isCalm && this.#below(1000) < this.#options.loss * 1000
    const way = this.#below(3)
    if (isLost) answer(() => reject(new Error('lost')))
    // Of what is lost, one part never arrives, and the others do, perhaps long after the sender has given up.
    if (!isLost || way > 0) {
      this.#pending.push(() => {
        void run().then((value) => {
          if (!isLost) answer(() => resolve(value))
        })
      })
    }
    return promise
  }

  #deliver(): void {
    if (this.#pending.length === 0) return
    const [deliver] = this.#pending.splice(this.#below(this.#pending.length), 1)
    deliver?.()
  }

  #below(bound: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#random / 2 ** 32) * bound)
  }
}

/** Lets everything run that waits for nothing outside. */
async function drain(): Promise<void> {
  for (let turn = 0; turn < 16; turn += 1) await Promise.resolve()
}
