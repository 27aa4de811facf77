import { describe, expect, spyOn, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { findFields, findItems, firstFieldOffset, removeField, replaceSpans, isWholeObject } from './json-span.ts'

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 })

/** A string as JSON, each of its characters as itself or as an escape. */
function spelled(text: string): fc.Arbitrary<string> {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return fc.array(fc.boolean(), { minLength: units.length, maxLength: units.length }).map((escaped) => {
    const parts = units.map((unit, at) =>
      escaped[at] ? `\\u${unit.toString(16).padStart(4, '0')}` : JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
    )
    return `"${parts.join('')}"`
  })
}

/** A value as JSON with white space wherever it may stand. */
function spaced(value: fc.JsonValue): fc.Arbitrary<string> {
  if (typeof value === 'string') return spelled(value)
  if (typeof value !== 'object' || value === null) return fc.constant(JSON.stringify(value))
  const parts = Array.isArray(value)
    ? value.map((each) => spaced(each))
    : Object.entries(value).map(([name, each]) => member(name, each ?? null))
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return fc
    .tuple(space, fc.tuple(...parts.map((part) => fc.tuple(space, part, space))))
    .map(([inner, each]) => `${open}${each.length === 0 ? inner : each.map((part) => part.join('')).join(',')}${close}`)
}

function member(name: string, value: fc.JsonValue): fc.Arbitrary<string> {
  return fc.tuple(spelled(name), space, space, spaced(value)).map(([key, before, after, text]) => {
    return `${key}${before}:${after}${text}`
  })
}

const wellFormed = fc.string({ unit: 'grapheme', maxLength: 6 })
const value = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }) as fc.Arbitrary<fc.JsonValue>
const object = fc
  .dictionary(fc.oneof(wellFormed, fc.constantFrom('model', 'usage', 'a"b', 'a\\', '{', '', 'é')), value, {
    maxKeys: 6,
  })
  .map((entries) => Object.fromEntries(Object.entries(entries)) as Record<string, fc.JsonValue>)
const document = object.chain((expected) =>
  fc
    .tuple(space, spaced(expected), space)
    .map(([before, text, after]) => ({ expected, json: Buffer.from(before + text + after) })),
)

/** What the bytes hold, as the parser of the other side will read them. */
function parsed(json: Buffer): Record<string, fc.JsonValue> {
  return JSON.parse(json.toString()) as Record<string, fc.JsonValue>
}

describe('finding fields', () => {
  test('every top-level field is found with the value that JSON.parse finds, however it is written', () => {
    fc.assert(
      fc.property(document, ({ json }) => {
        const expected = parsed(json)
        const found = findFields(json, new Set(Object.keys(expected)))
        expect(found.map((field) => field.name).toSorted()).toEqual(Object.keys(expected).toSorted())
        for (const { name, keyStart, valueStart, valueEnd } of found) {
          expect(json[keyStart]).toBe(0x22)
          expect(JSON.parse(json.toString('utf8', valueStart, valueEnd))).toEqual(expected[name])
          expect(json.toString('utf8', valueStart, valueEnd)).toMatch(/^\S[^]*?\S?$/)
        }
      }),
    )
  })

  test('fields of nested objects, and names inside texts, are not found', () => {
    const json = Buffer.from('{"a":{"model":1},"b":[{"model":2}],"c":"\\"model\\":3","model":4}')
    const [only, ...rest] = findFields(json, new Set(['model']))
    expect(rest).toEqual([])
    expect(json.toString('utf8', only!.valueStart, only!.valueEnd)).toBe('4')
  })

  test('a name that is written twice is found twice, escapes or not', () => {
    const json = Buffer.from('{"model":1,"mod\\u0065l":2}')
    expect(findFields(json, new Set(['model'])).map((field) => json[field.valueStart])).toEqual([0x31, 0x32])
  })

  test('what is not an object has no fields', () => {
    for (const text of ['[]', '[{"a":1}]', '"a"', '1', 'null', ' ', '', '{}', '{ }']) {
      expect(findFields(Buffer.from(text), new Set(['a']))).toEqual([])
    }
  })

  test('values nested a hundred thousand deep are skipped without using the stack', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const objects = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)
    const json = Buffer.from(`{"deep":${deep},"objects":${objects},"model":"m"}`)
    const fields = findFields(json, new Set(['deep', 'objects', 'model']))
    expect(fields.map((field) => field.name)).toEqual(['deep', 'objects', 'model'])
    expect(fields.map((field) => field.valueEnd - field.valueStart)).toEqual([deep.length, objects.length, 3])
  })

  test('bytes that are not JSON end without an exception and without an offset outside of them', () => {
    const almostJson = fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', ' ', 'a', 'u', '1') })
    fc.assert(
      fc.property(almostJson, (text) => {
        const json = Buffer.from(`{${text}`)
        for (const field of findFields(json, new Set(['a', '', '\\u', 'aa']))) {
          expect(field.valueEnd).toBeLessThanOrEqual(json.length)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('editing', () => {
  const texts = fc.constantFrom('null', '"new"', '{"x":[1,2]}', '12345678901234567890', '"é€😀"')

  test('a replaced value is the only thing that changes', () => {
    fc.assert(
      fc.property(document, fc.nat(), texts, ({ json }, pick, text) => {
        const before = parsed(json)
        const names = Object.keys(before)
        fc.pre(names.length > 0)
        const [field] = findFields(json, new Set([names[pick % names.length]!]))
        const { name, valueStart, valueEnd } = field!
        const edited = replaceSpans(json, [{ start: valueStart, end: valueEnd, text }])
        expect(parsed(edited)).toEqual({ ...before, [name]: JSON.parse(text) as fc.JsonValue })
        expect(edited.toString('hex')).toStartWith(json.toString('hex', 0, valueStart))
        expect(edited.toString('hex')).toEndWith(json.toString('hex', valueEnd))
        expect(edited.length).toBe(json.length - (valueEnd - valueStart) + Buffer.byteLength(text))
      }),
    )
  })

  test('several stretches are replaced at once', () => {
    fc.assert(
      fc.property(document, ({ json }) => {
        const before = parsed(json)
        const fields = findFields(json, new Set(Object.keys(before)))
        const edited = replaceSpans(
          json,
          fields.map((field, index) => ({ start: field.valueStart, end: field.valueEnd, text: String(index) })),
        )
        expect(parsed(edited)).toEqual(Object.fromEntries(fields.map((field, index) => [field.name, index])))
      }),
    )
  })

  test('a removed field is gone and every other byte of a value stays', () => {
    fc.assert(
      fc.property(document, fc.nat(), ({ json }, pick) => {
        const before = parsed(json)
        const names = Object.keys(before)
        fc.pre(names.length > 0)
        const name = names[pick % names.length]!
        const all = new Set(names)
        const edited = removeField(json, findFields(json, new Set([name]))[0]!)
        const { [name]: _, ...expected } = before
        expect(parsed(edited)).toEqual(expected)
        const written = (bytes: Buffer) =>
          findFields(bytes, all).map((field) => bytes.toString('hex', field.keyStart, field.valueEnd))
        const removed = findFields(json, all).findIndex((field) => field.name === name)
        expect(written(edited)).toEqual(written(json).toSpliced(removed, 1))
      }),
    )
  })

  test('a field can be put first', () => {
    fc.assert(
      fc.property(document, ({ json }) => {
        const before = parsed(json)
        fc.pre(Object.keys(before).length > 0 && !('added' in before))
        const at = firstFieldOffset(json)
        const edited = replaceSpans(json, [{ start: at, end: at, text: '"added":[true],' }])
        expect(parsed(edited)).toEqual({ ...before, added: [true] })
      }),
    )
  })
})

describe('isWholeObject', () => {
  test.each([1, 40, 100, 3000])(
    'a list of %i numbers is looked over as a whole, and one that was cut off is found',
    (count) => {
      const list = (text: string): string =>
        `{"a":[${Array.from({ length: count }, (_, at) => at + 0.5).join(',')}${text}`
      for (const end of [']}', '],"b":[[]]}', ',[1]]}', ',"]"]}', ',{"c":"[}"}]}'])
        for (const text of [list(end), `${list(end)} `, list(`],"d":${list(end)}}`)])
          expect([text, isWholeObject(Buffer.from(text))]).toEqual([text, true])
      for (const end of ['', ']', '],"b":[', ',[1]}', ',"]}', ']}}', ']}x'])
        expect([end, isWholeObject(Buffer.from(list(end)))]).toEqual([end, false])
    },
  )

  test('finds every object whole, and no proper beginning of one', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (members, seed) => {
        const json = Buffer.from(` ${JSON.stringify(members, null, seed % 3)}\n`)
        expect(isWholeObject(json)).toBe(true)
        const end = json.length - 2
        expect(isWholeObject(json.subarray(0, seed % end))).toBe(false)
      }),
    )
  })

  test('is false for what is not an object or has something behind it', () => {
    for (const text of ['', ' ', '[]', '"{}"', '1', '{}x', '{}{}', '{"a":"', '{"a":"\\"}', '<html>{}'])
      expect([text, isWholeObject(Buffer.from(text))]).toEqual([text, false])
  })
})

describe('findItems', () => {
  test('finds the elements that JSON.parse finds, white space and nesting notwithstanding', () => {
    const list = fc
      .array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 5 })
      .chain((values) => spaced(values as fc.JsonValue).map((text) => ({ values, text })))
    fc.assert(
      fc.property(list, fc.nat(5), ({ values, text }, offset) => {
        const json = Buffer.from(`${'x'.repeat(offset)}${text}, 1]`)
        const found = findItems(json, offset).map(({ start, end }) => JSON.parse(json.toString('utf8', start, end)))
        expect(found).toEqual(JSON.parse(JSON.stringify(values)))
      }),
    )
  })

  test('finds long lists of numbers whole, and lists that only begin so', () => {
    const numbers = Array.from({ length: 200 }, (_, at) => at * 1.5)
    const tail = fc.array(
      fc.oneof(fc.constantFrom(']', '["', '}', 'a"]', '[[1]]'), fc.integer(), fc.constant([1, ']'])),
    )
    fc.assert(
      fc.property(tail, fc.boolean(), (more, isNested) => {
        const list = [...numbers, ...more]
        const items = [list, isNested ? [list, list] : 'x', numbers]
        const json = Buffer.from(JSON.stringify(items))
        const found = findItems(json, 0).map(
          ({ start, end }) => JSON.parse(json.toString('utf8', start, end)) as unknown,
        )
        expect(found).toEqual(items)
      }),
    )
  })

  test('finds none where there is no array', () => {
    for (const text of ['', '{}', '"[1]"', '7', ' [1]']) expect(findItems(Buffer.from(text), 0)).toEqual([])
  })

  test('finds at most as many as are asked for', () => {
    expect(findItems(Buffer.from('[1,2,3]'), 0, 2)).toHaveLength(2)
  })

  test('asks the runtime for the next quote only where the next bytes hold none', () => {
    const dense = Buffer.from(`["${'\\"'.repeat(10_000)}"]`)
    using indexOf = spyOn(dense, 'indexOf')
    expect(findItems(dense, 0)).toEqual([{ start: 1, end: dense.length - 1 }])
    expect(indexOf).toHaveBeenCalledTimes(0)
  })

  test('ends without harm in what is cut off', () => {
    const whole = Buffer.from('[1, "a\\"]", [2, {"b":[]}] , null]')
    for (let end = 0; end <= whole.length; end += 1)
      expect(findItems(whole.subarray(0, end), 0).length).toBeLessThanOrEqual(4)
  })
})
