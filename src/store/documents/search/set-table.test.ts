import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SetTable } from './set-table.ts'
import { TopCodes } from './top-codes.ts'

test('a table holds what a map holds, through any order of changes, slots that are used again among them', () => {
  const change = fc.record({ set: fc.integer({ min: 1, max: 60 }), isThere: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 400 }), fc.constantFrom(1, 2 ** 20, 2 ** 33), (changes, times) => {
      const setRows: number[] = []
      const unused: number[] = []
      const [table, map] = [new SetTable((slot) => setRows[slot]!), new Map<number, number>()]
      for (const { set, isThere } of changes) {
        const setRow = set * times
        const slot = map.get(setRow)
        if (isThere && slot === undefined) {
          const taken = unused.pop() ?? setRows.length
          setRows[taken] = setRow
          table.add(taken)
          map.set(setRow, taken)
        } else if (!isThere) {
          table.delete(setRow)
          map.delete(setRow)
          if (slot !== undefined) unused.push(slot)
        }
        expect(table.size).toBe(map.size)
      }
      for (let set = 1; set <= 61; set += 1) expect(table.get(set * times)).toBe(map.get(set * times))
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
