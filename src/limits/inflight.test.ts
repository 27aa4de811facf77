import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LocalInflightLimiter, type Slot } from './inflight.ts'

/** Slots in use over all models. */
function total(limiter: LocalInflightLimiter): number {
  return [...limiter.inUseByModel().values()].reduce((sum, count) => sum + count, 0)
}

describe('slots', () => {
  test('are given up to the limit, and again when one is given back', () => {
    const limiter = new LocalInflightLimiter()
    const first = limiter.acquire('a', 'm', 2)
    expect([first?.inUse, limiter.acquire('a', 'm', 2)?.inUse, limiter.acquire('a', 'm', 2)]).toEqual([1, 2, null])
    first?.[Symbol.dispose]()
    expect(limiter.acquire('a', 'm', 2)?.inUse).toBe(2)
  })

  test('of other accounts and other models do not count', () => {
    const limiter = new LocalInflightLimiter()
    for (const [account, model] of [
      ['a', 'm'],
      ['b', 'm'],
      ['a', 'n'],
    ] as const) {
      expect(limiter.acquire(account, model, 1)?.inUse).toBe(1)
      expect(limiter.acquire(account, model, 1)).toBeNull()
    }
    expect(Object.fromEntries(limiter.inUseByModel())).toEqual({ m: 2, n: 1 })
  })

  test('without a limit are only counted, and a limit of zero gives none', () => {
    const limiter = new LocalInflightLimiter()
    for (let taken = 1; taken <= 100; taken += 1) expect(limiter.acquire('a', 'm', Infinity)?.inUse).toBe(taken)
    expect(limiter.acquire('a', 'n', 0)).toBeNull()
    expect(limiter.inUseByModel().get('n')).toBeUndefined()
  })

  test('that are in use stay when the limit is lowered, and no new one is given', () => {
    const limiter = new LocalInflightLimiter()
    const slots = [1, 2, 3].map(() => limiter.acquire('a', 'm', 5))
    expect(limiter.acquire('a', 'm', 2)).toBeNull()
    slots[0]?.[Symbol.dispose]()
    expect(limiter.acquire('a', 'm', 2)).toBeNull()
    slots[1]?.[Symbol.dispose]()
    expect(limiter.acquire('a', 'm', 2)?.inUse).toBe(2)
  })
})

type Step =
  | { readonly kind: 'acquire'; readonly account: string; readonly model: string; readonly limit: number }
  | { readonly kind: 'dispose'; readonly pick: number }

test('any order of taking, giving back and giving back twice keeps every count between zero and its limit', () => {
  const acquire = fc.record({
    kind: fc.constant('acquire' as const),
    account: fc.constantFrom('a', 'b'),
    model: fc.constantFrom('m', 'n'),
    limit: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(Infinity)),
  })
  const dispose = fc.record({ kind: fc.constant('dispose' as const), pick: fc.nat() })
  fc.assert(
    fc.property(fc.array<Step>(fc.oneof(acquire, dispose), { maxLength: 60 }), (steps) => {
      const limiter = new LocalInflightLimiter()
      const taken: { readonly key: string; readonly slot: Slot }[] = []
      const held = new Set<Slot>()
      const heldOf = (key: string): number => taken.filter((each) => each.key === key && held.has(each.slot)).length
      for (const step of steps) {
        if (step.kind === 'acquire') {
          const key = `${step.account} ${step.model}`
          const before = heldOf(key)
          const slot = limiter.acquire(step.account, step.model, step.limit)
          expect(slot === null).toBe(before >= step.limit)
          if (slot === null) continue
          expect(slot.inUse).toBe(before + 1)
          taken.push({ key, slot })
          held.add(slot)
        } else if (taken.length > 0) {
          const { slot } = taken[step.pick % taken.length]!
          slot[Symbol.dispose]()
          held.delete(slot)
        }
        expect(total(limiter)).toBe(held.size)
      }
      for (const { slot } of taken) slot[Symbol.dispose]()
      expect(limiter.inUseByModel().size).toBe(0)
    }),
    { numRuns: 300 },
  )
})
