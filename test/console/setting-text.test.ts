/** Values of settings as they are read and as they are typed. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { shownValue, editableText, parseValue } from '../../ui/src/routes/settings/setting-text.ts'

describe('a value as people read it', () => {
  test('has its unit, and large numbers of bytes are rounded beside the exact ones', () => {
    expect(shownValue(120, 'seconds')).toBe('120 seconds')
    expect(shownValue(67_108_864, 'bytes')).toBe('67,108,864 bytes (64 MiB)')
    expect(shownValue(3001, null)).toBe('3001')
  })

  test('says what null, true and an empty list mean', () => {
    expect([null, true, false, [], {}].map((value) => shownValue(value, null))).toEqual([
      'not set',
      'on',
      'off',
      'none',
      'none',
    ])
  })
})

describe('a value in its field', () => {
  const line = fc.stringMatching(/^[\w.:/@-]([\w.:/@ -]{0,20}[\w.:/@-])?$/)

  test('comes back from its text as it was', () => {
    fc.assert(
      fc.property(fc.array(line), (list) => expect(parseValue(editableText(list, 'list'), 'list')).toEqual(list)),
    )
    fc.assert(
      fc.property(fc.array(fc.integer()), (list) =>
        expect(parseValue(editableText(list, 'integers'), 'integers')).toEqual(list),
      ),
    )
    fc.assert(
      fc.property(fc.dictionary(line, line, { noNullPrototype: true }), (map) =>
        expect(parseValue(editableText(map, 'map'), 'map')).toEqual(map),
      ),
    )
    fc.assert(
      fc.property(fc.integer(), (value) => expect(parseValue(editableText(value, 'integer'), 'integer')).toBe(value)),
    )
    fc.assert(fc.property(line, (value) => expect(parseValue(editableText(value, 'string'), 'string')).toBe(value)))
  })

  test('of a secret is empty: the server does not show it', () => {
    expect(editableText('[secret]', 'secret')).toBe('')
  })

  test('may have numbers on one line, and texts with an equals sign', () => {
    expect(parseValue('500, 503\n529', 'integers')).toEqual([500, 503, 529])
    expect(parseValue('query = a=b', 'map')).toEqual({ query: 'a=b' })
  })
})
