import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { codePointIndex, codePointLength } from './code-points.ts'

describe('code points', () => {
  test('before an offset are those of the text up to it, on every boundary', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), fc.integer({ min: 1, max: 200 }), (part, times) => {
        const text = part.repeat(times)
        const index = codePointIndex(text)
        let offset = 0
        let wrong = 0
        for (const [count, codePoint] of Array.from(text).entries()) {
          if (index(offset) !== count) wrong += 1
          offset += codePoint.length
        }
        expect({ wrong, all: index(text.length), length: codePointLength(text) }).toEqual({
          wrong: 0,
          all: Array.from(text).length,
          length: Array.from(text).length,
        })
      }),
    )
  })

  test('of a surrogate alone are one', () => {
    expect(codePointLength('a\udc00b\ud800')).toBe(4)
    expect(codePointIndex('a\udc00b\ud800')(3)).toBe(3)
  })
})
