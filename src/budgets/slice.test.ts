import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { applyChange, Slice, type HeldSlice, type SliceAnswer, type SliceChange } from './slice.ts'

/** One request of a process. */
interface Running {
  readonly bound: number
  readonly cost: number
}

/** A process: what it holds, its running requests, and the records of ended ones that are not stored yet. */
interface Member {
  readonly slice: Slice
  readonly running: Running[]
  readonly unstored: Running[]
  /** Changes on their way to the place, some of them more than once; answers on their way back. */
  readonly sent: SliceChange[]
  readonly answers: { readonly change: SliceChange; readonly answer: SliceAnswer }[]
}

/** Several processes on one counter, whose messages are lost, late and repeated, and which die. */
class World {
  readonly amount: number
  readonly members: Member[] = []
  readonly held = new Map<string, HeldSlice>()
  /** What the counter says. */
  spent = 0
  /** What stored records cost. */
  stored = 0
  /** What all requests that ever ended have cost, stored or not. */
  paid = 0
  #made = 0

  constructor(amount: number) {
    this.amount = amount
  }

  start(): void {
    this.#made += 1
    const holder = `holder ${this.#made}`
    const slice = new Slice({ id: `c/${holder}`, counter: 'c', holder })
    this.held.set(slice.id, { held: 0, sequence: 0, granted: 0 })
    this.members.push({ slice, running: [], unstored: [], sent: [], answers: [] })
  }

  arrive({ sent, answers, slice }: Member, index: number, isAnswerLost: boolean): void {
    // Older ones are answered already.
    const change = sent.at(-1 - (index % 2)) ?? sent.at(-1)
    const known = this.held.get(slice.id)
    if (change === undefined || known === undefined) return
    const others = [...this.held].reduce((sum, [id, { held }]) => sum + (id === slice.id ? 0 : Math.max(0, held)), 0)
    const applied = applyChange({ amount: this.amount, spent: this.spent, others }, known, change)
    this.held.set(slice.id, applied.slice)
    if (!isAnswerLost) answers.push({ change, answer: applied.answer })
  }

  store({ slice, unstored }: Member): void {
    const row = unstored.shift()
    const known = this.held.get(slice.id)
    if (row === undefined || known === undefined) return
    this.held.set(slice.id, { ...known, held: known.held - row.cost })
    this.spent += row.cost
    this.stored += row.cost
  }

  /** Everything in memory is gone. The log says what was reserved by requests whose record is not stored. */
  kill(member: Member, hasLog: boolean): void {
    this.members.splice(this.members.indexOf(member), 1)
    // What a provider answered counts although nobody saw it.
    this.paid += member.running.reduce((sum, { cost }) => sum + cost, 0)
    const known = this.held.get(member.slice.id)
    if (known === undefined || !hasLog) return
    const open = [...member.running, ...member.unstored].reduce((sum, { bound }) => sum + bound, 0)
    this.held.set(member.slice.id, { ...known, held: Math.min(known.held, open) })
  }

  check(): void {
    const held = [...this.held.values()].reduce((sum, each) => sum + Math.max(0, each.held), 0)
    const running = this.members.flatMap((member) => member.running).reduce((sum, { bound }) => sum + bound, 0)
    expect(this.spent).toBe(this.stored)
    expect(this.spent + held).toBeLessThanOrEqual(this.amount)
    expect(this.paid + running).toBeLessThanOrEqual(this.amount)
    for (const { slice } of this.members) expect(slice.available).toBeGreaterThanOrEqual(0)
  }
}

type Step = (world: World, member: Member) => void

const part = fc.double({ min: 0, max: 1, noNaN: true })
const amount = fc.integer({ min: 0, max: 300 })
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    // A change that is answered at once, sometimes after its first answer was lost.
    weight: 6,
    arbitrary: fc.tuple(amount, fc.boolean(), fc.boolean()).map(([want, gives, isLost]): Step => (world, member) => {
      const { slice, sent, answers } = member
      const change = gives ? slice.give(want) : slice.take(want + 1, 1)
      if (change === null) return
      sent.push(change)
      if (isLost) world.arrive(member, 0, true)
      world.arrive(member, 0, false)
      const given = answers.at(-1)
      if (given !== undefined) slice.answered(given.change, given.answer)
    }),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(amount, part, fc.boolean()).map(([most, share, isAll]): Step => (_world, member) => {
      const { slice, running } = member
      const bound = isAll ? slice.available : most
      if (slice.reserve(bound)) running.push({ bound, cost: Math.floor(bound * share) })
    }),
  },
  {
    weight: 4,
    arbitrary: fc.nat(20).map((at): Step => (world, { slice, running, unstored }) => {
      const [ended] = running.splice(at % Math.max(1, running.length), 1)
      if (ended === undefined) return
      slice.settle(ended.bound, ended.cost)
      unstored.push(ended)
      world.paid += ended.cost
    }),
  },
  { weight: 3, arbitrary: fc.constant<Step>((world, member) => world.store(member)) },
  {
    weight: 3,
    arbitrary: fc.tuple(amount, part).map(([want, share]): Step => (_world, { slice, sent }) => {
      if (want > 0) sent.push(slice.take(want, Math.floor(want * share)))
    }),
  },
  {
    weight: 3,
    arbitrary: amount.map((most): Step => (_world, { slice, sent }) => {
      const given = slice.give(most)
      if (given !== null) sent.push(given)
    }),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(20), fc.boolean()).map(
      ([at, isLost]): Step =>
        (world, member) =>
          world.arrive(member, at, isLost),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.nat(20).map((at): Step => (_world, { slice, answers }) => {
      const given = answers.at(-1 - (at % 2)) ?? answers.at(-1)
      if (given !== undefined) slice.answered(given.change, given.answer)
    }),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((hasLog): Step => (world, member) => {
      world.kill(member, hasLog)
      world.start()
    }),
  },
)

describe('a counter of a hard budget', () => {
  test('is never exceeded, whatever is lost, late, repeated or killed', () => {
    const schedule = fc.array(fc.tuple(fc.nat(2), steps), { minLength: 20, maxLength: 150, size: 'max' })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), schedule, (budget, moves) => {
        const world = new World(budget)
        for (let count = 0; count < 3; count += 1) world.start()
        for (const [who, move] of moves) {
          const member = world.members[who % world.members.length]
          if (member !== undefined) move(world, member)
          world.check()
        }
      }),
      { numRuns: 1500 },
    )
  })

  test('can be spent to the last unit by one of several processes, once the others give back what is idle', () => {
    const world = new World(1000)
    world.start()
    world.start()
    const [member, other] = world.members
    if (member === undefined || other === undefined) throw new Error('two processes were started')
    const ask = (asking: Member, change: SliceChange | null): void => {
      if (change === null) return
      asking.sent.splice(0, 1, change)
      world.arrive(asking, 0, false)
      const last = asking.answers.pop()
      if (last !== undefined) asking.slice.answered(last.change, last.answer)
    }
    ask(other, other.slice.take(500, 1))
    for (;;) {
      if (member.slice.available === 0) ask(member, member.slice.take(100, 1))
      if (member.slice.available === 0) ask(other, other.slice.give(Infinity))
      if (!member.slice.reserve(1)) {
        ask(member, member.slice.take(100, 1))
        if (!member.slice.reserve(1)) break
      }
      member.slice.settle(1, 1)
      member.unstored.push({ bound: 1, cost: 1 })
      world.store(member)
      world.paid += 1
      world.check()
    }
    expect(world.spent).toBe(1000)
  })

  test('that is overdrawn makes nothing free', () => {
    const before = { held: -5, sequence: 1, granted: 10 }
    const { answer, slice } = applyChange({ amount: 100, spent: 95, others: 0 }, before, {
      sequence: 2,
      change: 20,
      least: 1,
    })
    expect(answer.granted).toBeLessThanOrEqual(5)
    expect(95 + Math.max(0, slice.held)).toBeLessThanOrEqual(100)
  })
})
