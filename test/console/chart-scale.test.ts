/** Axes of charts, and what the cursor is on. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { labelledPoints, pointAfter, pointAt, valueTicks } from '../../ui/src/components/chart-scale.ts'

test('marks of values are round, begin at 0, and reach the highest value', () => {
  expect(valueTicks(7)).toEqual([0, 2.5, 5, 7.5])
  expect(valueTicks(300)).toEqual([0, 100, 200, 300])
  expect(valueTicks(0)).toEqual([0, 1])
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), (highest) => {
      const ticks = valueTicks(highest)
      expect(ticks[0]).toBe(0)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest * (1 - 1e-9))
      expect(ticks.at(-2)).toBeLessThan(highest)
      expect(ticks.length).toBeWithin(2, 6)
    }),
  )
})

test('labels of times begin with the first, are evenly spread, and do not touch', () => {
  expect(labelledPoints(24, 600, 100)).toEqual([0, 4, 8, 12, 16, 20])
  expect(labelledPoints(3, 600, 100)).toEqual([0, 1, 2])
  expect(labelledPoints(60, 10, 100)).toEqual([0])
  expect(labelledPoints(0, 600, 100)).toEqual([])
})

test('a place is on the point below it, and beyond an end on the last one', () => {
  const at = (x: number) => pointAt(x, 100, 10)
  expect([-5, 0, 9.9, 10, 55, 100, 300].map(at)).toEqual([0, 0, 0, 1, 5, 9, 9])
})

test('keys walk the points, begin with the latest, and stay inside', () => {
  expect(pointAfter('ArrowLeft', null, 5)).toBe(4)
  expect(pointAfter('ArrowLeft', 0, 5)).toBe(0)
  expect(pointAfter('PageDown', 1, 5)).toBe(4)
  expect([pointAfter('Home', 3, 5), pointAfter('End', 0, 5)]).toEqual([0, 4])
  expect([pointAfter('a', 3, 5), pointAfter('End', null, 0)]).toEqual([null, null])
})
