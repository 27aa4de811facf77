import { describe, expect, test } from 'bun:test'
import { checkVectors } from './check-vectors.ts'
import { EmbedFailure } from './embedder.ts'

const vector = (...values: readonly number[]) => new Float32Array(values)

function failure(run: () => unknown): EmbedFailure {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof EmbedFailure) return thrown
    throw thrown
  }
  throw new Error('they were taken')
}

describe('vectors are refused', () => {
  const cases: Readonly<Record<string, readonly [readonly Float32Array[], number, number | null]>> = {
    'when one is missing': [[vector(1, 0)], 2, null],
    'when there is one too many': [[vector(1), vector(1)], 1, null],
    'when they differ in dimension': [[vector(1, 0), vector(1, 0, 0)], 2, null],
    'when they are not of the space': [[vector(1, 0)], 1, 3],
    'without a dimension': [[vector()], 1, null],
    'with NaN': [[vector(1, Number.NaN)], 1, null],
    'with infinity': [[vector(Infinity, 1)], 1, null],
    'of zeros': [[vector(0, 0)], 1, null],
  }
  for (const [title, [vectors, count, dimensions]] of Object.entries(cases)) {
    test(title, () => {
      const { code, retryable } = failure(() => checkVectors(vectors, { count, dimensions }))
      expect([code, retryable]).toEqual(['embedder_invalid_answer', true])
    })
  }
})

test('good ones come back as copies of length 1', () => {
  const given = vector(3, 4)
  const [checked] = checkVectors([given], { count: 1, dimensions: 2 })
  expect([...checked!]).toEqual([...vector(0.6, 0.8)])
  expect([...given]).toEqual([3, 4])
})

test('very small and very large values keep their direction', () => {
  const [small, large] = checkVectors([vector(3e-30, 4e-30), vector(3e30, 4e30)], { count: 2, dimensions: null })
  for (const checked of [small, large]) {
    expect(checked![0]).toBeCloseTo(0.6, 5)
    expect(checked![1]).toBeCloseTo(0.8, 5)
  }
})
