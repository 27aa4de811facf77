import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fuse, fused } from './fuse.ts'

test('the first of every list has score 1, and what is in both lists beats what is in one', () => {
  const joined = fuse([
    [7, 1, 2],
    [7, 2, 3],
  ])
  expect(joined.map(({ row }) => row)).toEqual([7, 2, 1, 3])
  expect(joined[0]?.score).toBeCloseTo(1)
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
      const joined = fuse(lists)
      expect(new Set(joined.map(({ row }) => row))).toEqual(new Set(lists.flat()))
      expect(joined).toHaveLength(new Set(lists.flat()).size)
      for (const { score } of joined) expect(score > 0 && score <= 1.000001).toBe(true)
    }),
  )
})

test('weights decide between the first of the lists, in their proportion, and scores stay from 0 to 1', () => {
  const found = {
    vector: [1, 2].map((row) => ({ row, score: 0.5, spaceKey: 'a' })),
    keyword: [3, 2].map((row) => ({ row, score: 7 })),
  }
  const rows = (vector: number, keyword: number) => fused(found, { vector, keyword })
  expect(rows(1, 0.1)[0]?.row).toBe(2)
  expect(rows(3, 0.01).map(({ row }) => row)).toEqual([1, 2, 3])
  expect(rows(0.01, 3).map(({ row }) => row)).toEqual([3, 2, 1])
  for (const [at, { row, score }] of rows(200, 100).entries()) {
    expect(row).toBe(rows(2, 1)[at]!.row)
    expect(score).toBeCloseTo(rows(2, 1)[at]!.score)
  }
  for (const { score } of rows(0.7, 0.3)) expect(score > 0 && score <= 1.000001).toBe(true)
})
