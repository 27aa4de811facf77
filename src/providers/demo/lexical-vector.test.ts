import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { lexicalVector } from './lexical-vector.ts'

function cosine(a: string, b: string, dimensions = 256): number {
  const [one, other] = [lexicalVector(a, dimensions), lexicalVector(b, dimensions)]
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
}

test('every vector has length 1 and the dimensions asked for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.integer({ min: 8, max: 512 }),
      (text, dimensions) => {
        const vector = lexicalVector(text, dimensions)
        expect(vector.length).toBe(dimensions)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      },
    ),
  )
})

test('equal text gives an equal vector', () => {
  expect(lexicalVector('the same words', 64)).toEqual(lexicalVector('the same words', 64))
})

test('a vector does not change between releases, or stored ones would be worthless', () => {
  expect(Array.from(lexicalVector('sluice', 8), (value) => Number(value.toFixed(4)))).toEqual([
    0.7592, -0.2657, -0.5314, 0, 0.2657, 0, 0, 0,
  ])
})

const related: readonly (readonly [string, string, string])[] = [
  ['How do I reset my password?', 'resetting a forgotten password', 'The harbour was full of fishing boats'],
  ['annual report of the company', 'The company published its yearly reports', 'a recipe for lemon cake'],
  ['Größe und Gewicht des Pakets', 'das Paket: Gewichte, Größen', 'un tramway nommé désir'],
  ['database connection timeout', 'timeouts when connecting to the databases', 'violin concerto in D major'],
]

test.each(related)('%j is nearer to %j than to %j', (text, near, far) => {
  for (const dimensions of [256, 512, 1024]) {
    expect(cosine(text, near, dimensions)).toBeGreaterThan(cosine(text, far, dimensions) + 0.1)
  }
})

test('case, accents and compatibility forms make no difference', () => {
  expect(cosine('Crème BRÛLÉE ﬁnal', 'creme brulee final')).toBeCloseTo(1, 5)
})
