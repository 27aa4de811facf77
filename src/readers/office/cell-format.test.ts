import { describe, expect, test } from 'bun:test'
import { formatNumber, formatOf } from './cell-format.ts'

const shown = (value: number, code: string, date1904 = false): string =>
  formatNumber(value, formatOf(164, code), date1904)

describe('numbers', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [0.1 + 0.2, 'General', '0.3'],
    [1234.5678, '#,##0.00', '1234.57'],
    [1234.5678, '#,##0', '1235'],
    [-3, '0.00;[Red]-0.00', '-3'],
    [0.125, '0.0%', '12.5%'],
    [0.5, '0%', '50%'],
    [1_500_000, '#,##0,,"M"', '1500000'],
    [0.25, '# ?/?', '0.25'],
    [1.5e10, '0.00E+00', '15000000000'],
    [42, '"day" 0', '42'],
    [42, '[$€-407] 0.00', '42'],
    [7, '@', '7'],
  ]
  for (const [value, code, text] of cases)
    test(`${value} as ${code} is ${text}`, () => expect(shown(value, code)).toBe(text))
})

describe('dates and times', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [45_292, 'dd.mm.yyyy', '2024-01-01'],
    [45_292.75, 'yyyy-mm-dd hh:mm', '2024-01-01 18:00'],
    [45_292.5, '[$-409]d-mmm-yy;@', '2024-01-01'],
    [45_292.000011574, 'd/m/yy h:mm:ss', '2024-01-01 00:00:01'],
    [0.75, 'h:mm AM/PM', '18:00'],
    [1.5, '[h]:mm:ss', '36:00:00'],
    [-0.5, '[h]:mm', '-12:00:00'],
    [45_292, 'mmmm', '2024-01-01'],
    [1, 'dd.mm.yyyy', '1900-01-01'],
    [59, 'dd.mm.yyyy', '1900-02-28'],
    [61, 'dd.mm.yyyy', '1900-03-01'],
    [-1, 'dd.mm.yyyy', '-1'],
    [1e12, 'dd.mm.yyyy', '1000000000000'],
  ]
  for (const [value, code, text] of cases)
    test(`${value} as ${code} is ${text}`, () => expect(shown(value, code)).toBe(text))

  test('days count from 1904 in workbooks that say so', () => {
    expect(shown(43_830, 'yyyy-mm-dd', true)).toBe('2024-01-01')
  })

  test('formats that are known by their number', () => {
    const known = (id: number): string => formatNumber(45_292.25, formatOf(id, undefined), false)
    expect([0, 2, 9, 14, 20, 22, 46].map(known)).toEqual([
      '45292.25',
      '45292.25',
      '4529225%',
      '2024-01-01',
      '2024-01-01 06:00',
      '2024-01-01 06:00',
      '1087014:00:00',
    ])
  })
})
