import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkJsonLimits, JsonTooComplex, parseBounded, type JsonLimits } from './bounded-json.ts'

/** The limits that a value just meets, counted on the value itself. */
function exactLimits(value: unknown): JsonLimits {
  if (typeof value !== 'object' || value === null) return { valuesMax: 1, fieldsMax: 1, depthMax: 0 }
  const children = Object.values(value).map(exactLimits)
  return {
    valuesMax: 1 + children.reduce((sum, child) => sum + child.valuesMax, 0),
    fieldsMax: Math.max(Array.isArray(value) ? 1 : children.length, 1, ...children.map((child) => child.fieldsMax)),
    depthMax: 1 + Math.max(0, ...children.map((child) => child.depthMax)),
  }
}

describe('JSON within limits', () => {
  test('is parsed as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' \n'), (text, space) => {
        expect(parseBounded(Buffer.from(space + text + space))).toEqual(JSON.parse(text))
      }),
    )
  })

  test('is refused exactly where the value is deeper or one object wider than allowed, and never counted too high', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value))
        const limits = exactLimits(value)
        const counted = { ...limits, valuesMax: 2 * limits.valuesMax }
        checkJsonLimits(bytes, counted)
        if (limits.depthMax > 0)
          expect(() => checkJsonLimits(bytes, { ...counted, depthMax: limits.depthMax - 1 })).toThrow(JsonTooComplex)
        if (limits.fieldsMax > 1)
          expect(() => checkJsonLimits(bytes, { ...counted, fieldsMax: limits.fieldsMax - 1 })).toThrow(JsonTooComplex)
      }),
      { numRuns: 1000 },
    )
  })

  test('may hold texts of any length, with quotes and backslashes at every place', () => {
    const piece = fc.constantFrom('\\', '"', 'a', '{', '[', ',', 'ü', 'x'.repeat(200))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), (pieces) => {
        const value = { text: pieces.join(''), end: 1 }
        expect(parseBounded(Buffer.from(JSON.stringify(value)), { valuesMax: 6, fieldsMax: 2, depthMax: 1 })).toEqual(
          value,
        )
      }),
    )
  })

  test('is refused before anything is built when it holds too many values', () => {
    expect(() => parseBounded(Buffer.from(`[${'1,'.repeat(60_000)}1]`))).toThrow('more than 50000 values')
    expect(() => parseBounded(Buffer.from(`[${'[],'.repeat(60_000)}1]`))).toThrow(JsonTooComplex)
    expect(() => parseBounded(Buffer.from('['.repeat(1000)))).toThrow('nested more than 200 deep')
  })

  test('that is not JSON fails as a syntax error', () => {
    for (const text of ['', '{', '}', ']]]]', '"', '"\\', '{"a":1}}'])
      expect(() => parseBounded(Buffer.from(text))).toThrow(SyntaxError)
  })
})
