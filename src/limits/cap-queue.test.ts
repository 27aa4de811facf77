import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FairQueue, type QueuePlace } from '#lib/fair-queue.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { CapQueue, type Cap } from './cap-queue.ts'
import { LocalInflightLimiter, type Slot } from './inflight.ts'

const timeoutMs = 1000

/** A queue in front of one cap, with what its requests were answered. */
class Rig {
  readonly clock = new ManualClock()
  readonly slots = new LocalInflightLimiter()
  readonly shutdown = new AbortController()
  readonly queue: CapQueue
  readonly held: Slot[] = []
  readonly answers = new Map<number, string>()
  limit: number
  #names = 0
  readonly #leave = new Map<number, AbortController>()

  constructor(limit: number, length: number) {
    this.limit = limit
    this.queue = new CapQueue({
      slots: this.slots,
      clock: this.clock,
      levels: 3,
      lengthMax: () => length,
      limitOf: () => this.limit,
      shutdown: this.shutdown.signal,
    })
  }

  get cap(): Cap {
    return { kind: 'model', id: 'm', name: 'chat', limit: this.limit }
  }

  get waiting(): number {
    return [...this.queue.waiting()].reduce((sum, [, count]) => sum + count, 0)
  }

  /** A request; its name, and its position when it waits. */
  ask(place: QueuePlace<string> = { lane: 'a', level: 1 }): { readonly name: number; readonly position: number } {
    const name = this.#names++
    const slot = this.queue.take(this.cap)
    if (slot !== null) {
      this.held.push(slot)
      this.answers.set(name, 'slot')
      return { name, position: 0 }
    }
    const controller = new AbortController()
    this.#leave.set(name, controller)
    const { position, ended } = this.queue.wait(this.cap, { ...place, timeoutMs, signal: controller.signal })
    void ended.then((end) => {
      this.answers.set(name, typeof end === 'string' ? end : 'slot')
      if (typeof end !== 'string') this.held.push(end)
    })
    return { name, position }
  }

  leaves(name: number): void {
    this.#leave.get(name)?.abort()
  }
}

/** Lets promises settle that wait for nothing outside. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await Promise.resolve()
}

/** The same without promises: who has a slot, who waits since when, and what has become of the others. */
class Reference {
  readonly answers = new Map<number, string>()
  readonly waiting = new Map<number, QueuePlace<string> & { readonly since: number }>()
  readonly #order = new FairQueue<string, number>(3)
  readonly #length: number
  inUse = 0

  constructor(length: number) {
    this.#length = length
  }

  ask(name: number, place: QueuePlace<string>, now: number, limit: number): number {
    if (this.inUse < limit && this.waiting.size === 0) {
      this.inUse += 1
      this.answers.set(name, 'slot')
      return 0
    }
    if (this.waiting.size >= this.#length) {
      const displaced = this.#order.displaced(place)
      if (displaced === undefined) {
        this.answers.set(name, 'full')
        return this.waiting.size + 1
      }
      this.#answer(displaced, 'full')
    }
    this.waiting.set(name, { ...place, since: now })
    return this.#order.add(name, place)
  }

  leaves(name: number, why: string): void {
    const place = this.waiting.get(name)
    if (place === undefined) return
    this.#order.delete(name, place)
    this.#answer(name, why)
  }

  /** Those who came before this are over. */
  expire(before: number): void {
    for (const [name, { since }] of this.waiting) if (since <= before) this.leaves(name, 'timeout')
  }

  serve(limit: number): void {
    while (this.inUse < limit && this.waiting.size > 0) {
      this.inUse += 1
      this.#answer(this.#order.next()!, 'slot')
    }
  }

  #answer(name: number, why: string): void {
    this.waiting.delete(name)
    this.answers.set(name, why)
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ lane: fc.constantFrom('a', 'b', 'c'), level: fc.nat(2) }) },
    { weight: 4, arbitrary: fc.constant('release' as const) },
    { weight: 2, arbitrary: fc.record({ leaves: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ passes: fc.integer({ min: 1, max: 700 }) }) },
    { weight: 1, arbitrary: fc.record({ limit: fc.integer({ min: 1, max: 4 }) }) },
  ),
  { maxLength: 100 },
)

describe('a queue in front of a cap', () => {
  test('answers each request as its reference does, in any order of coming, leaving, waiting and changing the cap', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (run, length) => {
        const rig = new Rig(2, length)
        const reference = new Reference(length)
        for (const step of run) {
          if (step === 'release') {
            if (rig.held.length === 0) continue
            reference.inUse -= 1
            reference.serve(rig.limit)
            rig.held.shift()?.[Symbol.dispose]()
          } else if ('leaves' in step) {
            rig.leaves(step.leaves)
            reference.leaves(step.leaves, 'left')
          } else if ('passes' in step) {
            rig.clock.advance(step.passes)
            rig.queue.beat()
            reference.serve(rig.limit)
            reference.expire(rig.clock.elapsed() - timeoutMs)
          } else if ('limit' in step) {
            rig.limit = step.limit
            rig.queue.beat()
            reference.serve(rig.limit)
          } else {
            const { name, position } = rig.ask(step)
            expect(position).toBe(reference.ask(name, step, rig.clock.elapsed(), rig.limit))
          }
          await settled()
          expect(rig.waiting).toBe(reference.waiting.size)
          expect(Object.fromEntries(rig.answers)).toEqual(Object.fromEntries(reference.answers))
          expect(rig.held.length).toBe(reference.inUse)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('is gone when nobody waits, and costs the next request nothing', async () => {
    const rig = new Rig(1, 10)
    rig.ask()
    rig.ask()
    expect(rig.queue.hasRoom(rig.cap)).toBe(false)
    for (const end of [0, 1]) {
      rig.held[end]?.[Symbol.dispose]()
      await settled()
    }
    expect([rig.waiting, rig.queue.hasRoom(rig.cap)]).toEqual([0, true])
  })

  test('sends everyone away when the process stops, and lets nobody wait after that', async () => {
    const rig = new Rig(1, 10)
    const names = [rig.ask(), rig.ask(), rig.ask()].map(({ name }) => name)
    rig.shutdown.abort()
    names.push(rig.ask().name)
    await settled()
    expect(names.map((name) => rig.answers.get(name))).toEqual(['slot', 'stopped', 'stopped', 'stopped'])
  })

  test('lets those through who wait for a cap that is taken away', async () => {
    const rig = new Rig(1, 10)
    const names = [rig.ask(), rig.ask(), rig.ask()].map(({ name }) => name)
    rig.limit = Infinity
    rig.queue.beat()
    await settled()
    expect(names.map((name) => rig.answers.get(name))).toEqual(['slot', 'slot', 'slot'])
  })

  test('tells refused requests to stay away as long as others wait, within bounds', async () => {
    const rig = new Rig(1, 10)
    expect(rig.queue.retryMs(rig.cap)).toBeGreaterThanOrEqual(1000)
    rig.ask()
    for (let turn = 0; turn < 40; turn += 1) {
      rig.ask()
      rig.ask()
      rig.clock.advance(timeoutMs * 30)
      rig.held.shift()?.[Symbol.dispose]()
      await settled()
      expect(rig.queue.retryMs(rig.cap)).toBeLessThanOrEqual(90_000)
    }
    expect(rig.queue.retryMs(rig.cap)).toBeGreaterThanOrEqual(30_000)
  })
})
