import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BudgetLedger, type Admission } from './budget-ledger.ts'
import { holderGoneMs, holderLapseMs, type BudgetPlace } from './budget-place.ts'
import { applyChange, type HeldSlice, type SliceAnswer, type SliceChange } from './slice.ts'

/** The shared place in memory: as the database keeps it, on a clock of the test. */
class MemoryPlace implements BudgetPlace {
  readonly amount: number
  readonly clock = { at: 0, now: () => this.clock.at, elapsed: () => this.clock.at }
  readonly spent = new Map<string, number>()
  /** The first key is the counter, the second the holder. */
  readonly slices = new Map<string, Map<string, HeldSlice>>()
  readonly holders = new Map<string, number>()
  readonly wants = new Set<string>()
  /** Awaited in each call, before and after what it does. */
  passes: () => Promise<void> = () => Promise.resolve()
  changes = 0

  constructor(amount: number) {
    this.amount = amount
  }

  async open(holder: string): Promise<void> {
    await this.passes()
    this.holders.set(holder, this.clock.at)
    await this.passes()
  }

  async beat(holder: string): Promise<boolean> {
    await this.passes()
    const isKnown = this.holders.has(holder)
    if (isKnown) this.holders.set(holder, this.clock.at)
    await this.passes()
    return isKnown
  }

  async close(holder: string): Promise<void> {
    await this.passes()
    this.#forget(holder)
  }

  async change(change: SliceChange): Promise<SliceAnswer | null> {
    await this.passes()
    const answer = this.#apply(change)
    await this.passes()
    return answer
  }

  async wanted(counters: readonly string[]): Promise<readonly string[]> {
    await this.passes()
    return counters.filter((counter) => this.wants.has(counter))
  }

  heldOf(counter: string): number {
    return this.#sum(counter, null)
  }

  /** The transaction that stores a record. */
  store(counter: string, holder: string, cost: number): void {
    const slice = this.slices.get(counter)?.get(holder)
    if (slice !== undefined) this.slices.get(counter)?.set(holder, { ...slice, held: slice.held - cost })
    this.spent.set(counter, (this.spent.get(counter) ?? 0) + cost)
  }

  /** What a person does after a process was killed. */
  release(): void {
    for (const [holder, seenAt] of this.holders) if (this.clock.at - seenAt > holderGoneMs) this.#forget(holder)
  }

  #forget(holder: string): void {
    this.holders.delete(holder)
    for (const slices of this.slices.values()) slices.delete(holder)
  }

  #apply(change: SliceChange): SliceAnswer | null {
    const { counter, holder } = change
    this.changes += 1
    if (!this.holders.has(holder)) return null
    const slices = this.slices.getOrInsertComputed(counter, () => new Map<string, HeldSlice>())
    const own = slices.get(holder) ?? { held: 0, sequence: 0, granted: 0 }
    const others = this.#sum(counter, holder)
    const state = { amount: this.amount, spent: this.spent.get(counter) ?? 0, others }
    const { slice, answer } = applyChange(state, own, change)
    slices.set(holder, slice)
    if (change.change > 0 && answer.granted < change.least) this.wants.add(counter)
    return answer
  }

  #sum(counter: string, without: string | null): number {
    let sum = 0
    for (const [holder, { held }] of this.slices.get(counter) ?? []) if (holder !== without) sum += Math.max(0, held)
    return sum
  }
}

function ledgerOf(place: MemoryPlace): BudgetLedger {
  return new BudgetLedger({ place, clock: place.clock, onFailure: () => undefined })
}

/** Spends all of what was reserved, as the transaction that stores the record does. */
function spend(place: MemoryPlace, admission: Admission): void {
  if (admission.kind !== 'reserved') throw new Error(`expected a reservation, not ${admission.kind}`)
  const { reservation } = admission
  for (const { counter, amount } of reservation.charges) {
    place.store(counter, reservation.holder, amount)
    reservation.settle(amount, new Set([counter]))
  }
}

describe('a process', () => {
  test('trusts what it holds from the moment when it asked, however late the answer is', async () => {
    const place = new MemoryPlace(1000)
    const ledger = ledgerOf(place)
    expect(await ledger.admit([{ counter: 'b@0', amount: 1 }])).toMatchObject({ kind: 'reserved' })
    let calls = 0
    place.passes = async () => {
      calls += 1
      // The process is frozen between the answer and its arrival, and nothing else is answered.
      if (calls === 2) place.clock.at += holderLapseMs + 1
      if (calls > 2) await new Promise<never>(() => undefined)
    }
    void ledger.beat()
    await Bun.sleep(0)
    expect(calls).toBe(3)
    expect(ledger.reserve([{ counter: 'b@0', amount: 1 }])).toBeNull()
    place.passes = () => Promise.resolve()
    expect(await ledger.admit([{ counter: 'b@0', amount: 1 }])).toMatchObject({ kind: 'reserved' })
  })

  test('that was counted as gone begins again, once, and what it holds then is its own', async () => {
    const place = new MemoryPlace(1000)
    const ledger = ledgerOf(place)
    await ledger.admit([{ counter: 'b@0', amount: 1 }])
    place.clock.at += holderGoneMs + 1
    place.release()
    const charges = [{ counter: 'b@0', amount: 10 }]
    const [one, two] = await Promise.all([ledger.admit(charges), ledger.admit(charges), ledger.beat()])
    expect([one.kind, two.kind]).toEqual(['reserved', 'reserved'])
    expect([...place.holders.keys()]).toEqual([ledger.holder])
    expect(place.heldOf('b@0')).toBeLessThanOrEqual(1000)
  })

  test.each([1, 100, 10_000])('with %d idle counters says that it lives, and gives back all of them', async (count) => {
    const place = new MemoryPlace(1_000_000)
    const ledger = ledgerOf(place)
    const counters = Array.from({ length: count }, (_, index) => `b${index}@0`)
    for (const counter of counters) spend(place, await ledger.admit([{ counter, amount: 1 }]))
    place.clock.at += 6000
    // Each exchange takes ten milliseconds.
    place.passes = () => {
      place.clock.at += 5
      return Promise.resolve()
    }
    const isHeld = (): boolean => counters.some((counter) => place.heldOf(counter) > 0)
    expect(isHeld()).toBe(true)
    let beats = 0
    while (isHeld()) {
      const startedAt = place.clock.at
      await ledger.beat()
      beats += 1
      expect(place.clock.at - startedAt).toBeLessThan(holderLapseMs / 10)
      expect(beats).toBeLessThanOrEqual(count)
    }
  })
})

test('several processes never spend more than the amount, whatever is lost, frozen or killed', async () => {
  interface Step {
    readonly process: number
    readonly kind: 'admit' | 'beat' | 'end' | 'freeze' | 'kill' | 'release' | 'lose'
    readonly amount: number
  }
  const step: fc.Arbitrary<Step> = fc.record({
    process: fc.nat(2),
    kind: fc.constantFrom('admit', 'admit', 'admit', 'end', 'end', 'beat', 'freeze', 'kill', 'release', 'lose'),
    amount: fc.integer({ min: 1, max: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
      const place = new MemoryPlace(300)
      const ledgers = [0, 1, 2].map(() => ledgerOf(place))
      const running: Admission[][] = [[], [], []]
      const counter = 'b@0'
      for (const { process, kind, amount } of steps) {
        const ledger = ledgers[process]!
        const end = (at: number): void => running[at]!.splice(0).forEach((each) => spend(place, each))
        if (kind === 'admit') {
          const reserved = ledger.reserve([{ counter, amount }]) ?? (await takeMore(ledger, place, amount))
          if (reserved !== null) running[process]!.push({ kind: 'reserved', reservation: reserved })
        } else if (kind === 'beat') await ledger.beat()
        else if (kind === 'end') end(process)
        else if (kind === 'freeze') place.clock.at += amount * 1000
        else if (kind === 'lose') place.passes = losing(place, amount % 3)
        else if (kind === 'release') {
          // A person does this when the requests of processes that are gone are recorded.
          for (const at of ledgers.keys()) end(at)
          place.release()
        } else {
          end(process)
          ledgers[process] = ledgerOf(place)
        }
        // What is taken ahead arrives.
        await new Promise(setImmediate)
        const spent = place.spent.get(counter) ?? 0
        expect(spent + place.heldOf(counter)).toBeLessThanOrEqual(place.amount)
      }
    }),
    { numRuns: 500 },
  )
})

/** The next call fails, after this many more halves of calls. */
function losing(place: MemoryPlace, after: number): () => Promise<void> {
  let left = after
  return () => {
    if (left-- > 0) return Promise.resolve()
    place.passes = () => Promise.resolve()
    return Promise.reject(new Error('the connection is gone'))
  }
}

/** As `admit` does, without its wait. */
async function takeMore(ledger: BudgetLedger, place: MemoryPlace, amount: number) {
  const held = place.heldOf('b@0') + (place.spent.get('b@0') ?? 0)
  if (place.amount - held < amount) return null
  const admission = await ledger.admit([{ counter: 'b@0', amount }])
  return admission.kind === 'reserved' ? admission.reservation : null
}
