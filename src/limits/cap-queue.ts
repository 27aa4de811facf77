/**
 * The requests that wait for a slot of a cap: how many may be under way at once at a model or a provider. A cap holds over
 * all processes (inflight.ts); the queue in front of it belongs to this process. Lanes take turns in each class
 * (lib/fair-queue.ts). Each one that waits is answered: with a slot, or with why there is none.
 */
import type { Clock } from '#lib/clock.ts'
import { FairQueue, type QueuePlace } from '#lib/fair-queue.ts'
import type { CapSlots, Slot } from './inflight.ts'

/** Requests that may be under way at once, over all processes. */
export interface Cap {
  readonly kind: 'model' | 'provider'
  readonly id: string
  /** The model's or provider's. */
  readonly name: string
  readonly limit: number
}

/** Who waits. Classes are counted from 0, the highest. */
export interface WaitRequest extends QueuePlace<string> {
  readonly timeoutMs: number
  /** The request is over. */
  readonly signal: AbortSignal
}

/** Why there is no slot: nobody waits for it any more, the queue was full or the wait too long, or this process stops. */
export type WaitEnd = 'left' | 'full' | 'timeout' | 'stopped'

/** A wait that has begun. */
export interface Wait {
  /** Requests of its class and those above that waited when it came, itself included. */
  readonly position: number
  readonly ended: Promise<Slot | WaitEnd>
}

export interface CapQueueOptions {
  readonly slots: CapSlots
  readonly clock: Clock
  /** Classes of requests. */
  readonly levels: number
  /** Requests that may wait for one cap. */
  readonly lengthMax: () => number
  /** What the cap allows now; `Infinity` when it is gone. */
  readonly limitOf: (cap: Cap) => number
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
}

interface Waiter extends WaitRequest {
  readonly since: number
  readonly settle: (end: Slot | WaitEnd) => void
}

interface Line {
  cap: Cap
  readonly waiters: FairQueue<string, Waiter>
  readonly all: Set<Waiter>
}

/** Weight of the newest wait in the usual one. */
const newestWeight = 0.2
const retryMsMin = 1000
const retryMsMax = 60_000

export class CapQueue {
  readonly #options: CapQueueOptions
  readonly #lines = new Map<string, Line>()
  /** How long requests for a cap usually wait; kept while there is a queue. */
  readonly #usualMs = new Map<string, number>()

  constructor(options: CapQueueOptions) {
    this.#options = options
    options.slots.onMore((key, isFree) => {
      const line = this.#lines.get(key)
      if (line === undefined) return
      this.#serve(key, line)
      if (isFree && line.all.size > 0) options.slots.ask(key, line.all.size)
    })
    options.shutdown.addEventListener('abort', () => this.#endAll('stopped'), { once: true })
  }

  /** A slot, while there is one and nobody waits for it. */
  take(cap: Cap): Slot | null {
    const key = keyOf(cap)
    return this.#lines.has(key) ? null : this.#options.slots.take(key, cap.limit)
  }

  /** Whether `take` would give a slot. */
  hasRoom(cap: Cap): boolean {
    const key = keyOf(cap)
    return !this.#lines.has(key) && this.#options.slots.hasRoom(key, cap.limit)
  }

  /** Waits for a slot of a cap that has none now. */
  wait(cap: Cap, request: WaitRequest): Wait {
    const { promise, resolve } = Promise.withResolvers<Slot | WaitEnd>()
    const { signal } = request
    const { shutdown, clock, slots } = this.#options
    if (signal.aborted || shutdown.aborted)
      return { position: 0, ended: Promise.resolve(signal.aborted ? 'left' : 'stopped') }
    const key = keyOf(cap)
    if (!this.#makeRoom(key, request))
      return { position: (this.#lines.get(key)?.all.size ?? 0) + 1, ended: Promise.resolve('full') }
    const line = this.#lineOf(key, cap)
    const leave = (): void => this.#end(key, line, waiter, 'left')
    const waiter: Waiter = {
      ...request,
      since: clock.elapsed(),
      settle: (end) => {
        signal.removeEventListener('abort', leave)
        resolve(end)
      },
    }
    signal.addEventListener('abort', leave)
    line.all.add(waiter)
    const position = line.waiters.add(waiter, waiter)
    slots.ask(key, line.all.size)
    return { position, ended: promise }
  }

  /** At intervals: ends waits that are too long, follows changed caps, and asks the other processes again. */
  beat(): void {
    const { clock, slots, limitOf } = this.#options
    for (const [key, line] of this.#lines) {
      line.cap = { ...line.cap, limit: limitOf(line.cap) }
      this.#serve(key, line)
      const now = clock.elapsed()
      for (const waiter of line.all) if (now - waiter.since >= waiter.timeoutMs) this.#end(key, line, waiter, 'timeout')
      if (line.all.size > 0) slots.ask(key, line.all.size)
    }
    for (const key of this.#usualMs.keys()) if (!this.#lines.has(key)) this.#usualMs.delete(key)
  }

  /** How long a refused request should stay away: as long as requests usually wait, each a little different. */
  retryMs(cap: Cap): number {
    const usual = this.#usualMs.get(keyOf(cap)) ?? retryMsMin
    return Math.round(Math.min(retryMsMax, Math.max(retryMsMin, usual)) * (1 + Math.random() / 2))
  }

  /** The caps for which requests wait, and how many. */
  *waiting(): Iterable<readonly [Cap, number]> {
    for (const { cap, all } of this.#lines.values()) yield [cap, all.size]
  }

  #lineOf(key: string, cap: Cap): Line {
    const line = this.#lines.getOrInsertComputed(key, () => ({
      cap,
      waiters: new FairQueue<string, Waiter>(this.#options.levels),
      all: new Set<Waiter>(),
    }))
    line.cap = cap
    return line
  }

  /** Whether one more may wait, if need be in the place of another. */
  #makeRoom(key: string, newcomer: WaitRequest): boolean {
    const line = this.#lines.get(key)
    if (line === undefined || line.all.size < this.#options.lengthMax()) return true
    const displaced = line.waiters.displaced(newcomer)
    if (displaced === undefined) return false
    this.#settle(key, line, displaced, 'full')
    return true
  }

  #serve(key: string, line: Line): void {
    const { slots, clock } = this.#options
    while (line.all.size > 0) {
      const slot = slots.take(key, line.cap.limit)
      if (slot === null) return
      const waiter = line.waiters.next()
      if (waiter === undefined) return slot[Symbol.dispose]()
      this.#learn(key, clock.elapsed() - waiter.since)
      this.#settle(key, line, waiter, slot)
    }
  }

  #end(key: string, line: Line, waiter: Waiter, end: WaitEnd): void {
    if (!line.waiters.delete(waiter, waiter)) return
    if (end === 'timeout') this.#learn(key, waiter.timeoutMs)
    this.#settle(key, line, waiter, end)
  }

  /** For one that is no longer among the waiters. */
  #settle(key: string, line: Line, waiter: Waiter, end: Slot | WaitEnd): void {
    line.all.delete(waiter)
    if (line.all.size === 0 && this.#lines.get(key) === line) this.#lines.delete(key)
    waiter.settle(end)
  }

  #endAll(end: WaitEnd): void {
    for (const [key, line] of this.#lines) for (const waiter of line.all) this.#end(key, line, waiter, end)
  }

  #learn(key: string, ms: number): void {
    const usual = this.#usualMs.get(key) ?? ms
    this.#usualMs.set(key, usual + newestWeight * (ms - usual))
  }
}

function keyOf({ kind, id }: Cap): string {
  return `cap ${kind} ${id}`
}
