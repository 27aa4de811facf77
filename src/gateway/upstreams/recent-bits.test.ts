/** The table of beginnings against a plain map, which forgets nothing. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RecentBits } from './recent-bits.ts'

const hash = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: -8, max: 8 }))
const bits = fc.integer({ min: 1, max: 2 ** 30 - 1 })

test('what was put last is found, whatever hashes there are, as long as they are less than half of the most', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, bits), { maxLength: 3000 }), (entries) => {
      const table = new RecentBits(8192)
      const known = new Map(entries)
      for (const [key, value] of entries) table.put(key, value)
      for (const [key, value] of known) expect(table.get(key)).toBe(value)
      for (let key = 100; key < 200; key += 1) expect(table.get(key)).toBe(known.get(key) ?? 0)
    }),
    { numRuns: 30 },
  )
})

test.each([2048, 8192, 65_536])('of %i the last half is there, and what was used no longer is forgotten', (most) => {
  const table = new RecentBits(most)
  for (let at = 0; at < 5 * most; at += 1) {
    table.put(at, 1)
    // Used again and again.
    table.put(-1, 3)
  }
  for (let at = 5 * most - most / 2 + 2; at < 5 * most; at += 1) expect(table.get(at)).toBe(1)
  expect([table.get(0), table.get(-1)]).toEqual([0, 3])
  table.clear()
  expect([table.get(5 * most - 1), table.get(-1)]).toEqual([0, 0])
})
