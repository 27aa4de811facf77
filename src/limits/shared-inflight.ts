/**
 * The limiter of requests in flight when several processes serve one database: what this process owns is decided
 * in memory; for more it asks the shared place, and waits for a moment only.
 */
import type { Clock } from '#lib/clock.ts'
import type { Exchange } from './exchange.ts'
import { HeldSlot, inflightKey, sumByModel, type InflightLimiter, type MoreListener, type Slot } from './inflight.ts'
import type { SlotLedger } from './slot-ledger.ts'

export interface SharedInflightOptions {
  readonly ledger: SlotLedger
  readonly exchange: Exchange
  readonly clock: Clock
  /** Whether what the ledger says is this process's to use. */
  readonly isOwner: () => boolean
}

interface Waiter {
  readonly limit: number
  readonly settle: (slot: Slot | null) => void
}

/** Longest wait for a slot of another process. */
const waitMs = 25
/** For so long after a wait without a slot, requests for the key do not wait. */
const exhaustedMs = 100

export class SharedInflightLimiter implements InflightLimiter {
  readonly #options: SharedInflightOptions
  readonly #waiters = new Map<string, Set<Waiter>>()
  /** `elapsed` until which nothing more is asked for. */
  readonly #exhausted = new Map<string, number>()
  #listener: MoreListener | null = null

  constructor(options: SharedInflightOptions) {
    this.#options = options
  }

  acquire(accountId: string, modelId: string, limit: number): Slot | null | Promise<Slot | null> {
    const key = inflightKey(accountId, modelId)
    const slot = this.take(key, limit)
    if (slot !== null || limit <= 0 || !this.#options.exchange.isReady || this.#isExhausted(key)) return slot
    return this.#wait(key, limit)
  }

  take(key: string, limit: number): Slot | null {
    const { ledger, isOwner } = this.#options
    // What is only counted is nobody's to own.
    if (limit !== Infinity && !isOwner()) return null
    const inUse = ledger.take(key, limit)
    return inUse === null ? null : new HeldSlot(inUse, limit, this, key)
  }

  hasRoom(key: string, limit: number): boolean {
    const { ledger, isOwner } = this.#options
    return limit === Infinity || (isOwner() && ledger.hasRoom(key, limit))
  }

  ask(key: string, want: number): void {
    const { ledger, exchange, clock } = this.#options
    ledger.ask(key, want, clock.elapsed())
    void exchange.flush()
  }

  onMore(listener: MoreListener): void {
    this.#listener = listener
  }

  inUseByModel(): ReadonlyMap<string, number> {
    return sumByModel(this.#options.ledger.inUse())
  }

  /** There is more of these keys: serves the requests that wait. */
  serve(keys: readonly string[]): void {
    for (const key of keys) this.#serve(key)
  }

  /** Another process has given up some of these keys: those who wait here ask for it, and those that gave it up do later. */
  claim(keys: readonly string[]): void {
    for (const key of keys) this.#serve(key, true)
  }

  /** For the slots: one of this key is given back. */
  release(key: string): void {
    const { ledger, exchange, clock } = this.#options
    if (ledger.release(key, clock.elapsed())) exchange.freed(key)
    this.#serve(key)
  }

  #serve(key: string, isFree = false): void {
    this.#listener?.(key, isFree)
    const waiters = this.#waiters.get(key)
    if (waiters === undefined) return
    for (const waiter of waiters) {
      const slot = this.take(key, waiter.limit)
      if (slot === null) return this.ask(key, waiters.size)
      this.#end(key, waiter, slot)
    }
  }

  #wait(key: string, limit: number): Promise<Slot | null> {
    const { promise, resolve } = Promise.withResolvers<Slot | null>()
    const timer = setTimeout(() => {
      this.#exhausted.set(key, this.#options.clock.elapsed() + exhaustedMs)
      this.#end(key, waiter, null)
    }, waitMs)
    const settle = (slot: Slot | null): void => {
      clearTimeout(timer)
      resolve(slot)
    }
    const waiter = { limit, settle }
    const waiters = this.#waiters.getOrInsertComputed(key, () => new Set())
    waiters.add(waiter)
    this.ask(key, waiters.size)
    return promise
  }

  #end(key: string, waiter: Waiter, slot: Slot | null): void {
    const waiters = this.#waiters.get(key)
    waiters?.delete(waiter)
    if (waiters?.size === 0) this.#waiters.delete(key)
    waiter.settle(slot)
  }

  #isExhausted(key: string): boolean {
    const until = this.#exhausted.get(key)
    if (until === undefined) return false
    if (this.#options.clock.elapsed() < until) return true
    this.#exhausted.delete(key)
    return false
  }
}
