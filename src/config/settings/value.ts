/**
 * One value of one setting, from whatever was written to the checked value. Text and typed values
 * are both taken, since the environment knows only text and `${NAME}` in the file gives text too.
 */
import { isObject } from '#lib/json-value.ts'
import { Secret } from '#lib/secret.ts'
import { formats } from './formats.ts'
import { exampleSecretKey, type SettingRecord, type SettingValue } from './records.ts'

export type ReadValue =
  | { readonly kind: 'ok'; readonly value: SettingValue }
  /** `expected` says what would have been right, and never holds the value. */
  | { readonly kind: 'refused'; readonly expected: string }

type NumberRecord = Extract<SettingRecord, { readonly type: 'integer' | 'number' | 'duration' }>
type IntegersRecord = Extract<SettingRecord, { readonly type: 'integers' }>
type ListRecord = Extract<SettingRecord, { readonly type: 'list' }>
type TextRecord = Extract<SettingRecord, { readonly type: 'string' | 'secret' }>

/** Checks one value against its record. Never throws. */
export function readValue(record: SettingRecord, written: unknown): ReadValue {
  switch (record.type) {
    case 'boolean':
      return outcome(record, readBoolean(written))
    case 'integer':
    case 'number':
    case 'duration':
      return outcome(record, readNumber(record, written))
    case 'list':
      return outcome(record, readList(record, written))
    case 'integers':
      return outcome(record, readIntegers(record, written))
    case 'map':
      return outcome(record, readMap(written))
    case 'string':
      return outcome(record, readText(record, written))
    case 'secret': {
      const text = readText(record, written)
      if (text === null) return outcome(record, null)
      return isExampleKey(text) && record.format === 'key-32'
        ? { kind: 'refused', expected: 'a key of your own: this is the one from the documentation' }
        : { kind: 'ok', value: new Secret(text) }
    }
  }
}

/** What a setting takes, in words: `a whole number from 0 to 65535`. */
export function expectedText(record: SettingRecord): string {
  switch (record.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number${unitText(record.unit)} from ${record.min} to ${record.max}${record.zeroWord === undefined ? '' : `; ${record.zeroWord} is 0`}`
    case 'number':
    case 'duration':
      return `a number${unitText(record.unit)} from ${record.min} to ${record.max}`
    case 'list':
      return `a list of ${record.format === undefined ? 'texts' : formats[record.format].expected} (in the environment: separated by commas)`
    case 'integers':
      return `a list of whole numbers from ${record.min} to ${record.max} (in the environment: separated by commas)`
    case 'map':
      return 'a mapping of names to texts (in the environment: name=text, separated by commas)'
    case 'string':
    case 'secret':
      return textExpected(record)
  }
}

function textExpected(record: TextRecord): string {
  if (record.type === 'string' && record.values !== undefined) return `one of ${record.values.join(', ')}`
  return record.format === undefined ? 'a text that is not empty' : formats[record.format].expected
}

function unitText(unit: string | undefined): string {
  return unit === undefined ? '' : ` of ${unit}`
}

function outcome(record: SettingRecord, value: SettingValue): ReadValue {
  return value === null ? { kind: 'refused', expected: `expected ${expectedText(record)}` } : { kind: 'ok', value }
}

function readBoolean(written: unknown): boolean | null {
  if (typeof written === 'boolean') return written
  const text = typeof written === 'string' ? written.trim().toLowerCase() : ''
  return text === 'true' ? true : text === 'false' ? false : null
}

function readNumber(record: Pick<NumberRecord, 'type' | 'min' | 'max' | 'zeroWord'>, written: unknown): number | null {
  if (record.zeroWord !== undefined && written === record.zeroWord) return 0
  const form = record.type === 'integer' ? /^[+-]?\d+$/ : /^[+-]?\d+(\.\d+)?$/
  const isNumber = typeof written === 'string' && form.test(written.trim())
  const value = isNumber ? Number(written) : typeof written === 'number' ? written : Number.NaN
  if (record.type === 'integer' && !Number.isSafeInteger(value)) return null
  // `+ 0` because "-0" is a zero like any other.
  return value >= record.min && value <= record.max ? value + 0 : null
}

function readText(record: TextRecord, given: unknown): string | null {
  // A list with secrets in it is one secret.
  const isList = record.format === 'oidc-issuers' || record.format === 'external-readers'
  const written = isList && Array.isArray(given) ? JSON.stringify(given) : given
  if (typeof written !== 'string' || written.trim() === '') return null
  if (record.type === 'string' && record.values !== undefined) {
    const value = written.trim().toLowerCase()
    return record.values.includes(value) ? value : null
  }
  return record.format === undefined ? written : formats[record.format].read(written.trim())
}

function readList({ format }: ListRecord, written: unknown): readonly string[] | null {
  const items = typeof written === 'string' ? written.split(',').map((item) => item.trim()) : written
  if (!Array.isArray(items)) return null
  const isRight = (item: string): boolean => format === undefined || formats[format].read(item) !== null
  const texts = items.filter((item): item is string => typeof item === 'string' && item !== '' && isRight(item))
  return texts.length === items.length ? Object.freeze(texts) : null
}

function readIntegers({ min, max }: IntegersRecord, written: unknown): readonly number[] | null {
  const items: unknown = typeof written === 'string' ? written.split(',') : written
  if (!Array.isArray(items)) return null
  const numbers = items.map((item: unknown) => readNumber({ type: 'integer', min, max }, item))
  return numbers.every((number) => number !== null) ? Object.freeze(numbers) : null
}

function readMap(written: unknown): Readonly<Record<string, string>> | null {
  const entries =
    typeof written === 'string'
      ? written.split(',').map((item): [string, unknown] => {
          const split = item.indexOf('=')
          return split < 0 ? ['', null] : [item.slice(0, split).trim(), item.slice(split + 1).trim()]
        })
      : isObject(written)
        ? Object.entries(written)
        : null
  const texts = entries?.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  if (texts === undefined || texts.length !== entries?.length) return null
  if (texts.some(([name, text]) => name === '' || text === '')) return null
  return new Set(texts.map(([name]) => name)).size === texts.length ? Object.freeze(Object.fromEntries(texts)) : null
}

function isExampleKey(base64: string): boolean {
  return base64 === Buffer.from(exampleSecretKey, 'hex').toString('base64')
}
