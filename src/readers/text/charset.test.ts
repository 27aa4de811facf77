import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { encodeIso2022Jp, encodeText } from '#test/support/documents/encode-text.ts'
import { sentences } from '#test/support/documents/sentences.ts'
import { decodeText, isUtf16 } from './charset.ts'

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}
function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}
function utf16be(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16()
}

describe('text is decoded', () => {
  test.each([
    ['UTF-8 with a mark', bytes('ef bb bf c3 a4'), 'ä', 'utf-8'],
    ['UTF-8 without one', Buffer.from('Grüße 😀'), 'Grüße 😀', 'utf-8'],
    ['UTF-16 LE with a mark', bytes('ff fe e4 00'), 'ä', 'utf-16le'],
    ['UTF-16 BE with a mark', bytes('fe ff 00 e4'), 'ä', 'utf-16be'],
    ['UTF-16 LE without one', Buffer.from('plain words', 'utf16le'), 'plain words', 'utf-16le'],
    ['UTF-16 BE without one', utf16be('plain words'), 'plain words', 'utf-16be'],
  ])('from %s, certainly', (_, content, text, charset) => {
    expect(decodeText(content)).toEqual({ text, charset, warning: null })
  })

  test('as declared by the page', () => {
    const page = latin1(
      '<html><head><meta http-equiv="Content-Type" content="text/html; charset=koi8-r"></head>\xf0\xd2',
    )
    expect(decodeText(page, { markup: true })).toMatchObject({ charset: 'koi8-r', warning: null })
    expect(decodeText(page, { markup: true }).text).toEndWith('Пр')
    expect(decodeText(latin1('<?xml version="1.0" encoding="iso-8859-2"?><p>\xb1'), { markup: true }).text).toEndWith(
      'ą',
    )
  })

  test('as declared by a mail, if that is an encoding', () => {
    expect(decodeText(latin1('\x82\xa0'), { declared: 'Shift_JIS' }).text).toBe('あ')
    expect(decodeText(latin1('\xe4'), { declared: 'no such thing' })).toMatchObject({
      text: 'ä',
      charset: 'windows-1252',
    })
  })

  test('as UTF-8 when it is that, whatever the page declares', () => {
    const page = Buffer.from('<meta charset="windows-1252">Grüße')
    expect(decodeText(page, { markup: true })).toMatchObject({ charset: 'utf-8', warning: null })
  })

  test('by a guess, with a warning to the user', () => {
    const western = decodeText(latin1('caf\xe9 \x80'))
    expect(western).toMatchObject({ text: 'café €', charset: 'windows-1252' })
    expect(western.warning).toContain('windows-1252')
    expect(decodeText(bytes('cf f0 e8 e2 e5 f2 20 ec e8 f0')).text).toBe('Привет мир')
  })

  test('with a warning when bytes do not fit what was declared', () => {
    expect(decodeText(latin1('\x82'), { declared: 'shift_jis' }).warning).toContain('shift_jis')
  })

  test('whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (content, markup) => {
        expect(typeof decodeText(content, { markup }).text).toBe('string')
      }),
    )
  })
})

describe('the encoding of a text that does not declare it is found', () => {
  const encode = (text: string, charset: string): Buffer =>
    charset === 'iso-2022-jp' ? encodeIso2022Jp(text) : encodeText(text, charset)
  const files = sentences.flatMap(({ language, text, encodings }) =>
    encodings.map((charset) => ({ language, charset, text })),
  )

  // The detector takes Thai for Korean, whose characters may have the same bytes.
  test.each(files.filter(({ language }) => language !== 'Thai'))('$language in $charset', ({ charset, text }) => {
    expect(decodeText(encode(text, charset)).text).toBe(text)
    expect(decodeText(encode(`${text}\n`.repeat(300), charset)).text).toBe(`${text}\n`.repeat(300))
  })

  test('in nearly all texts of one sentence', () => {
    const first = files.map((file) => ({ ...file, text: file.text.split(/(?<=[.。])/)[0] ?? '' }))
    const wrong = first.filter(({ text, charset }) => decodeText(encode(text, charset)).text !== text)
    expect(wrong.map(({ language, charset }) => `${language} in ${charset}`)).toEqual([
      'Polish in iso-8859-2',
      'Thai in windows-874',
    ])
  })

  test('behind a long beginning in ASCII', () => {
    const text = `${'words '.repeat(20_000)}図書館は毎日午前八時から午後七時まで開いています。`
    expect(decodeText(encode(text, 'euc-jp'))).toMatchObject({ text, charset: 'euc-jp' })
  })

  test('of Western Europe where few bytes tell nothing', () => {
    for (const text of [
      'café €',
      'naïve',
      'Grüße',
      '© 2020 Company',
      '5 °C',
      'It’s a “quote”.',
      'Müller,Köln\nJäger,Bonn',
    ])
      expect(decodeText(encode(text, 'windows-1252')).text).toBe(text)
  })
})

test('text with a few zero bytes is not taken for UTF-16', () => {
  expect(isUtf16(latin1('a\0b c d e f g h i j k'))).toBe(false)
  expect(isUtf16(Buffer.from('words', 'utf16le'))).toBe(true)
})

const sample = '../shared/corpus/html/utf16.html'
test.skipIf(!existsSync(sample))('a real page in UTF-16 is decoded (needs the shared corpus)', () => {
  expect(decodeText(readFileSync(sample), { markup: true })).toMatchObject({ charset: 'utf-16le', warning: null })
})
