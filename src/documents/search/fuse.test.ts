import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fuse } from './fuse.ts'

test('the first of every list has score 1, and what is in both lists beats what is in one', () => {
  const fused = fuse([
    [7, 1, 2],
    [7, 2, 3],
  ])
  expect(fused.map(({ row }) => row)).toEqual([7, 2, 1, 3])
  expect(fused[0]?.score).toBeCloseTo(1)
})

test('one list keeps its order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), (rows) => {
      expect(fuse([rows]).map(({ row }) => row)).toEqual(rows)
    }),
  )
})

test('every row of every list is there once, with a score from 0 to 1', () => {
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(fc.nat(50)), { maxLength: 4 }), (lists) => {
      const fused = fuse(lists)
      expect(new Set(fused.map(({ row }) => row))).toEqual(new Set(lists.flat()))
      expect(fused).toHaveLength(new Set(lists.flat()).size)
      for (const { score } of fused) expect(score > 0 && score <= 1.000001).toBe(true)
    }),
  )
})
