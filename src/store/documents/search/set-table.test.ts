import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SetTable } from './set-table.ts'
import { TopCodes } from './top-codes.ts'

test('a table holds what a map holds, through any order of changes', () => {
  const change = fc.record({ key: fc.integer({ min: 1, max: 60 }), value: fc.option(fc.nat(2 ** 31)) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 400 }), fc.constantFrom(1, 2 ** 20, 2 ** 33), (changes, times) => {
      const [table, map] = [new SetTable(), new Map<number, number>()]
      for (const { key, value } of changes) {
        if (value === null) {
          table.delete(key * times)
          map.delete(key * times)
        } else {
          table.set(key * times, value)
          map.set(key * times, value)
        }
        expect(table.size).toBe(map.size)
      }
      for (let key = 1; key <= 61; key += 1) expect(table.get(key * times)).toBe(map.get(key * times))
    }),
  )
})

test('the best of a stream are those of a sort, whatever its pieces', () => {
  const score = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.float({ noNaN: true, noDefaultInfinity: true }))
  const pieces = fc.array(fc.array(score, { maxLength: 40 }), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 20 }), (all, wanted) => {
      const top = new TopCodes(wanted)
      let place = 0
      for (const piece of all) {
        const scores = Float32Array.from(piece.flatMap((each) => [each, 0]))
        const numbers = Uint32Array.from(piece.flatMap((_each, at) => [0, at]))
        top.add({ scores, numbers, count: piece.length }, place)
        place += piece.length
      }
      const scores = Float32Array.from(all.flat())
      const best = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, wanted)
      expect([...top.best()]).toEqual(best.toSorted((a, b) => a - b))
    }),
  )
})
