import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkJsonLimits, JsonTooComplex, parseBounded, passedJsonLimits } from './bounded-json.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

/** The least cost at which the bytes pass. */
function costOf(text: string): number {
  let [low, high] = [1, 1 << 24]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    try {
      checkJsonLimits(Buffer.from(text), { costMax: middle, depthMax: 1000 })
      high = middle
    } catch {
      low = middle + 1
    }
  }
  return low
}

describe('JSON within limits', () => {
  test('is parsed as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' \n'), (text, space) => {
        expect(parseBounded(Buffer.from(space + text + space))).toEqual(JSON.parse(text))
      }),
    )
  })

  test('is refused exactly where it is deeper than allowed', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value))
        const depth = depthOf(value)
        checkJsonLimits(bytes, { costMax: Infinity, depthMax: depth })
        if (depth > 0)
          expect(() => checkJsonLimits(bytes, { costMax: Infinity, depthMax: depth - 1 })).toThrow(JsonTooComplex)
      }),
      { numRuns: 1000 },
    )
  })

  test('may hold texts of any length, with quotes and backslashes at every place', () => {
    const piece = fc.constantFrom('\\', '"', 'a', '{', '[', ',', 'ü', 'x'.repeat(200))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), (pieces) => {
        const value = { text: pieces.join(''), end: 1 }
        expect(parseBounded(Buffer.from(JSON.stringify(value)), { costMax: 40, depthMax: 1 })).toEqual(value)
      }),
    )
  })
})

describe('the cost of JSON', () => {
  test('is that of its parts, and texts of any length and repeated names are cheap', () => {
    const numbers = costOf(JSON.stringify(Array.from({ length: 1000 }, () => 7)))
    const names = costOf(JSON.stringify(Array.from({ length: 1000 }, () => ({ role: 'user' }))))
    const texts = costOf(JSON.stringify(Array.from({ length: 1000 }, (_, at) => `t${at}`)))
    const fields = costOf(JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`t${at}`, 1]))))
    expect(costOf(JSON.stringify('x'.repeat(1_000_000)))).toBe(1)
    expect(numbers).toBeLessThan(1010)
    expect(names).toBeLessThan(3100)
    expect(texts).toBeGreaterThan(10_000)
    expect(fields).toBeGreaterThan(30_000)
  })

  test('lets the largest lists of tokens, and conversations of thousands of turns, pass through', () => {
    const tokens = Array.from({ length: 300_000 }, (_, at) => at % 100_000)
    checkJsonLimits(Buffer.from(JSON.stringify({ model: 'm', input: [tokens] })), passedJsonLimits)
    const turn = (at: number): object => ({
      role: 'assistant',
      content: 'A sentence of the usual length, about something.',
      tool_calls: [{ id: `call_${at}`, type: 'function', function: { name: 'f', arguments: `{"a":${at}}` } }],
    })
    const messages = Array.from({ length: 10_000 }, (_, at) => turn(at))
    checkJsonLimits(Buffer.from(JSON.stringify({ model: 'm', messages })), passedJsonLimits)
  })

  test('is refused before anything is built when it is too high', () => {
    for (const item of ['1,', '[],', '{},', '""', '"a":1,'])
      expect(() => parseBounded(Buffer.from(`[${item.repeat(200_000)}1]`))).toThrow(Error)
    expect(() => parseBounded(Buffer.from(`[${'1,'.repeat(200_000)}1]`))).toThrow('too many fields')
    expect(() => parseBounded(Buffer.from('['.repeat(1000)))).toThrow('nested more than 200 deep')
  })
})

test('what is not JSON fails as a syntax error', () => {
  for (const text of ['', '{', '}', ']]]]', '"', '"\\', '{"a":1}}'])
    expect(() => parseBounded(Buffer.from(text))).toThrow(SyntaxError)
})
