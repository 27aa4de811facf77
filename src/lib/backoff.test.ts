import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fullJitterMs } from './backoff.ts'

const options = { baseMs: 100, maxMs: 2000 }

test('the bound of a wait doubles with each try, up to the longest', () => {
  const bound = (retry: number) => fullJitterMs(retry, options, () => 1)
  expect([1, 2, 3, 4, 5, 6, 7, 100, 5000].map(bound)).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000])
})

test('a wait is anything from nothing to its bound, so that callers who failed together come back apart', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (retry, random) => {
        const wait = fullJitterMs(retry, options, () => random)
        expect(wait).toBeGreaterThanOrEqual(0)
        expect(wait).toBeLessThanOrEqual(Math.min(2000, 100 * 2 ** (retry - 1)))
        expect(wait).toBeCloseTo(random * fullJitterMs(retry, options, () => 1))
      },
    ),
  )
})
