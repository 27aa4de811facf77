import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FairQueue, passedMax, type QueuePlace } from './fair-queue.ts'

interface Waiting extends QueuePlace<string> {
  readonly name: number
}

/**
 * The same as one list that is searched: of a class, the lane is next whose last turn, or whose coming when it had nobody
 * waiting, was longest ago.
 */
class Reference {
  readonly waiting: Waiting[] = []
  readonly #since = new Map<string, number>()
  readonly #passed = [0, 0, 0]
  #now = 0

  add(item: Waiting): void {
    if (!this.#of(item.level).some(({ lane }) => lane === item.lane)) this.#mark(item)
    this.waiting.push(item)
  }

  delete(item: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(item), 1)
    if (this.#of(item.level).length === 0) this.#passed[item.level] = 0
  }

  next(): Waiting | undefined {
    const levels = [0, 1, 2].filter((level) => this.#of(level).length > 0)
    const level = levels.find((each) => this.#passed[each]! >= passedMax) ?? levels[0]
    if (level === undefined) return undefined
    for (const lower of levels) if (lower > level) this.#passed[lower]! += 1
    this.#passed[level] = 0
    const [first] = this.#of(level).toSorted((a, b) => this.#sinceOf(a) - this.#sinceOf(b) || a.name - b.name)
    if (first === undefined) return undefined
    this.delete(first)
    this.#mark(first)
    return first
  }

  #of(level: number): readonly Waiting[] {
    return this.waiting.filter((each) => each.level === level)
  }

  #sinceOf({ lane, level }: Waiting): number {
    return this.#since.get(`${level} ${lane}`) ?? 0
  }

  #mark({ lane, level }: Waiting): void {
    this.#now += 1
    this.#since.set(`${level} ${lane}`, this.#now)
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ lane: fc.constantFrom('a', 'b', 'c', 'd'), level: fc.nat(2) }) },
    { weight: 4, arbitrary: fc.constant('next' as const) },
    { weight: 2, arbitrary: fc.record({ leaves: fc.nat(30) }) },
    { weight: 1, arbitrary: fc.record({ closes: fc.constantFrom('a', 'b', 'c', 'd') }) },
  ),
  { maxLength: 120 },
)

describe('a fair queue', () => {
  test('gives turns as a list that is searched does, in any order of coming and leaving', () => {
    fc.assert(
      fc.property(steps, (run) => {
        const queue = new FairQueue<string, Waiting>(3)
        const reference = new Reference()
        for (const [name, step] of run.entries()) {
          if (step === 'next') expect(queue.next()).toEqual(reference.next()!)
          else if ('leaves' in step) {
            const item = reference.waiting[step.leaves]
            if (item === undefined) continue
            expect(queue.delete(item, item)).toBe(true)
            expect(queue.delete(item, item)).toBe(false)
            reference.delete(item)
          } else if ('closes' in step) {
            const gone = reference.waiting.filter(({ lane }) => lane === step.closes)
            expect(new Set(queue.deleteLane(step.closes))).toEqual(new Set(gone))
            for (const item of gone) reference.delete(item)
          } else {
            const item = { ...step, name }
            reference.add(item)
            const before = reference.waiting.filter(({ level }) => level <= item.level)
            expect(queue.add(item, item)).toBe(before.length)
          }
          expect(queue.size).toBe(reference.waiting.length)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('gives each lane of a class the same number of turns while it has one waiting', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 8 }), (lengths) => {
        const queue = new FairQueue<number, number>()
        for (const [lane, length] of lengths.entries())
          for (let count = 0; count < length; count += 1) queue.add(lane, { lane, level: 0 })
        const turns = lengths.map(() => 0)
        const least = Math.min(...lengths)
        for (let turn = 0; turn < least * lengths.length; turn += 1) turns[queue.next() ?? 0]! += 1
        expect(turns).toEqual(lengths.map(() => least))
      }),
    )
  })

  test('lets no class wait for more than a fixed number of turns, however many of higher ones come', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1), { minLength: 60, maxLength: 300 }), (higher) => {
        const queue = new FairQueue<string, number>(3)
        let longest = 0
        let since = 0
        queue.add(2, { lane: 'batch', level: 2 })
        for (const level of higher) {
          for (const each of [0, level]) queue.add(each, { lane: 'other', level: each })
          since += 1
          if (queue.next() !== 2) continue
          longest = Math.max(longest, since)
          since = 0
          queue.add(2, { lane: 'batch', level: 2 })
        }
        expect(Math.max(longest, since)).toBeLessThanOrEqual(passedMax + 2)
      }),
    )
  })

  test('gives a place in a full queue to a newcomer only of a lane with less, or of the same lane in a higher class', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(2), (run, lane, level) => {
        const queue = new FairQueue<string, Waiting>(3)
        const waiting = run.flatMap((step, name) =>
          typeof step === 'object' && 'lane' in step ? [{ ...step, name }] : [],
        )
        for (const item of waiting) queue.add(item, item)
        const count = (of: string): number => waiting.filter((each) => each.lane === of).length
        const displaced = queue.displaced({ lane, level })
        const ownLower = waiting.filter((each) => each.lane === lane && each.level > level)
        const most = Math.max(...['a', 'b', 'c', 'd'].map(count))
        if (ownLower.length === 0 && most < count(lane) + 2) return expect(displaced).toBeUndefined()
        const from = waiting.filter((each) => each.lane === displaced?.lane)
        if (ownLower.length > 0) expect(displaced?.lane).toBe(lane)
        else expect(from.length).toBe(most)
        const lowest = Math.max(...from.map((each) => each.level))
        expect(displaced).toEqual(from.findLast((each) => each.level === lowest)!)
        expect(queue.size).toBe(waiting.length - 1)
      }),
    )
  })
})
