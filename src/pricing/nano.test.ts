import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatMoney, formatNano, nanoMax, parseNano } from './nano.ts'

test('an amount that is written and read again is the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: nanoMax }), (nano) => {
      expect(parseNano(formatNano(nano))).toBe(nano)
    }),
  )
})

test('decimals are read exactly, and what is not one is refused', () => {
  expect(['2.5', '0.000000001', '10', ' 0.1 '].map(parseNano)).toEqual([2_500_000_000, 1, 10_000_000_000, 100_000_000])
  for (const text of ['', '-1', '1e3', '.5', '5.', '1.0000000001', '9999999', '1,5', 'NaN', '0x1'])
    expect(parseNano(text)).toBeNull()
})

test('money has two decimals at least', () => {
  expect([0, 1_500_000_000, 1, -250_000_000].map(formatMoney)).toEqual(['0.00', '1.50', '0.000000001', '-0.25'])
})
