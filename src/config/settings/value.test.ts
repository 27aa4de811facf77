import { describe, expect, test } from 'bun:test'
import { assert, boolean, constantFrom, double, integer, maxSafeInteger, oneof, property, string } from 'fast-check'
import { settingNames, recordOf, type SettingRecord } from './records.ts'
import { expectedText, readValue } from './value.ts'

const port: SettingRecord = {
  class: 'boot',
  type: 'integer',
  default: 5,
  min: -20,
  max: 65535,
  example: '5',
  sentence: 'A number.',
}
const list: SettingRecord = { class: 'boot', type: 'list', default: [], example: 'a, b', sentence: 'A list.' }
const duration: SettingRecord = { ...port, type: 'duration', unit: 'seconds', min: 0 }

describe('numbers', () => {
  test('a whole number within the range is taken as it is, as text and as a number, and any other is refused', () => {
    assert(
      property(oneof(integer({ min: -40, max: 70_000 }), maxSafeInteger()), (number) => {
        const expected = number >= -20 && number <= 65535 ? { kind: 'ok', value: number } : { kind: 'refused' }
        expect(readValue(port, number)).toMatchObject(expected)
        expect(readValue(port, String(number))).toMatchObject(expected)
        expect(readValue(port, ` ${number}\n`)).toMatchObject(expected)
      }),
    )
  })

  test('both ends of the range belong to it', () => {
    for (const end of [-20, 65535]) expect(readValue(port, end)).toEqual({ kind: 'ok', value: end })
    for (const beyond of [-21, 65536]) expect(readValue(port, beyond).kind).toBe('refused')
  })

  test('any text is either refused or a number that is written by it', () => {
    assert(
      property(oneof(string(), string({ unit: constantFrom(...'0123456789+-.eExX_ '.split('')) })), (text) => {
        const read = readValue(port, text)
        if (read.kind === 'refused') return
        expect(text.trim()).toMatch(/^[+-]?\d+$/)
        expect(read.value as number).toBe(Number(text.trim()) + 0)
      }),
    )
  })

  test('no number outside the range, no fraction and no NaN gets through', () => {
    assert(
      property(double(), (number) => {
        const isRight = Number.isInteger(number) && number >= -20 && number <= 65535
        expect(readValue(port, number).kind).toBe(isRight ? 'ok' : 'refused')
      }),
    )
  })

  test.each(['0x10', '1e3', '1_000', '', ' ', '٣', '1.0', 'NaN', '--1', '12 3'])('%p is not a whole number', (text) => {
    expect(readValue(port, text).kind).toBe('refused')
  })

  test('a duration may have a fraction, and is never negative or endless', () => {
    expect(readValue(duration, '0.25')).toEqual({ kind: 'ok', value: 0.25 })
    expect(readValue(duration, 1.5)).toEqual({ kind: 'ok', value: 1.5 })
    for (const wrong of ['-1', '30s', 'Infinity', Number.POSITIVE_INFINITY, Number.NaN, true, [1], {}]) {
      expect(readValue(duration, wrong).kind).toBe('refused')
    }
  })
})

test('a list is read from a list, and from text at its commas', () => {
  expect(readValue(list, 'a, b,c')).toEqual({ kind: 'ok', value: ['a', 'b', 'c'] })
  expect(readValue(list, ['a', 'b'])).toEqual({ kind: 'ok', value: ['a', 'b'] })
  for (const wrong of ['a,,b', ['a', ''], ['a', 1], 5, { a: 1 }]) expect(readValue(list, wrong).kind).toBe('refused')
})

test('whole numbers are read from a list, and from text at its commas', () => {
  const integers = recordOf('failover.statuses')
  expect(readValue(integers, '500, 503')).toEqual({ kind: 'ok', value: [500, 503] })
  expect(readValue(integers, [500, '503'])).toEqual({ kind: 'ok', value: [500, 503] })
  expect(readValue(integers, [])).toEqual({ kind: 'ok', value: [] })
  for (const wrong of ['', '500,', '500,x', [500.5], [399], [600], [[500]], 500, { a: 500 }])
    expect(readValue(integers, wrong).kind).toBe('refused')
})

test('a value of another type is refused, not converted', () => {
  assert(
    property(oneof(boolean(), double()), (value) => {
      expect(readValue(recordOf('data_dir'), value).kind).toBe('refused')
      expect(readValue(recordOf('security.secret_key'), value).kind).toBe('refused')
    }),
  )
  for (const value of [0, 1, 'yes', 'on', '1']) {
    expect(readValue(recordOf('gateway.rewrite_model'), value).kind).toBe('refused')
  }
})

describe.each([...settingNames])('%s', (name) => {
  const record = recordOf(name)

  test('takes its own default and its own example', () => {
    if (record.default !== null)
      expect(readValue(record, record.default)).toEqual({ kind: 'ok', value: record.default })
    // The example of the key is refused on purpose.
    expect(readValue(record, record.example).kind).toBe(name === 'security.secret_key' ? 'refused' : 'ok')
    expect<unknown>([record.default, JSON.stringify(record.default)]).not.toContainEqual(record.example)
  })

  test('is described in one sentence, and says what it takes', () => {
    expect(record.sentence).toMatch(/^[A-Z].*\.$|: the example is refused\.$/)
    expect(expectedText(record)).not.toBe('')
    if (!('min' in record)) return
    for (const value of [record.default].flat()) expect(value).toBeWithin(record.min, record.max + 1)
  })
})

describe('mappings', () => {
  const map: SettingRecord = { class: 'live', type: 'map', default: {}, example: 'a=b', sentence: 'A mapping.' }

  test('are taken from a mapping or from text, and are the same then', () => {
    const value = { primary: 'llava', fast: 'vendor/small=1' }
    for (const written of [value, 'primary=llava, fast = vendor/small=1'])
      expect(readValue(map, written)).toEqual({ kind: 'ok', value })
    expect(readValue(map, {})).toEqual({ kind: 'ok', value: {} })
  })

  test.each([['a'], ['a='], ['=b'], ['a=b,a=c'], [''], [5], [null], [['a=b']], [{ a: 5 }], [{ a: '' }]])(
    '%p is not a mapping of names to texts',
    (written) =>
      expect(readValue(map, written)).toEqual({ kind: 'refused', expected: `expected ${expectedText(map)}` }),
  )
})
