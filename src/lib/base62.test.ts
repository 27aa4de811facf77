import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { base62, randomBase62 } from './base62.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a number is written in exactly the length asked for, and can be read back', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 32 - 1 }), (value) => {
      const text = base62(value, 6)
      expect(text).toHaveLength(6)
      expect(text.split('').reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)).toBe(value)
    }),
  )
})

test('a number that does not fit is refused, the largest that fits is not', () => {
  expect(base62(61, 1)).toBe('z')
  expect(() => base62(62, 1)).toThrow(RangeError)
  expect(base62(62 ** 6 - 1, 6)).toBe('zzzzzz')
  expect(() => base62(62 ** 6, 6)).toThrow(RangeError)
})

test('random text has the length asked for, is never the same, and uses every digit', () => {
  const texts = Array.from({ length: 1000 }, () => randomBase62(32, 43))
  expect(new Set(texts).size).toBe(1000)
  expect(texts.every((text) => /^[0-9A-Za-z]{43}$/.test(text))).toBe(true)
  expect(new Set(texts.join('')).size).toBe(62)
})

test('a length that cannot hold the bytes is refused instead of losing some', () => {
  expect(() => {
    for (let round = 0; round < 100; round += 1) randomBase62(32, 42)
  }).toThrow(RangeError)
})
