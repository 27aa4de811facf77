import { describe, expect, test } from 'bun:test'
import { failureOf } from '#test/support/documents/read-office.ts'
import { existsSync, readFileSync } from 'node:fs'
import type { Reading } from '../reading.ts'
import { rtfReader } from './rtf.ts'

const limits = { textMax: 1_000_000, pagesMax: 1000, unpackedBytesMax: 1e9 }

function readBytes(bytes: Uint8Array): Promise<Reading> {
  return rtfReader.read({ bytes, name: 'a.rtf', mediaType: 'application/rtf', limits })
}

/** The reading of a body, each character of which is one byte. */
function read(body: string): Promise<Reading> {
  return readBytes(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252\\uc1${body}}`, 'latin1'))
}

async function textOf(body: string): Promise<string> {
  return (await read(body)).text
}

describe('letters', () => {
  test('bytes are read in the code page of the document, and of their font', async () => {
    const fonts = '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial Cyr;}{\\f2\\fcharset128 Mincho;}}'
    expect(await textOf(`${fonts}caf\\'e9 {\\f1 \\'cf\\'f0\\'e8} {\\f2 \\'93\\'fa\\'96\\'7b}`)).toBe('café При 日本')
  })

  test('Unicode replaces the characters that follow it for old readers', async () => {
    expect(await textOf("\\u8364?5 \\uc2\\u-10179\\'3f\\'3f\\u-8704\\'3f\\'3f!")).toBe('€5 😀!')
  })

  test('quotes, dashes and escaped signs are themselves', async () => {
    expect(await textOf('\\ldblquote a\\rdblquote \\endash  b\\~c \\{d\\} \\\\')).toBe('“a”– b\u00a0c {d} \\')
  })

  test('hidden and deleted text is not read', async () => {
    expect(await textOf('a{\\v secret}b\\v hidden\\v0 c{\\deleted gone}d')).toBe('abcd')
  })
})

describe('blocks', () => {
  test('fonts, colours, pictures and unknown optional groups leave nothing behind', async () => {
    const groups =
      '{\\fonttbl{\\f0 Arial;}}{\\colortbl;\\red0;}{\\stylesheet{\\s1 Normal;}}{\\*\\unknown words}' +
      '{\\pict\\pngblip 89504e47}{\\*\\generator Program;}'
    expect(await textOf(`${groups}Text\\par{\\pict\\bin5 }{}}}}more`)).toBe('Text\n\nmore')
  })

  test('styles and outline levels make headings', async () => {
    const { headings, text } = await read(
      '{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 heading 1;}{\\s2 heading 2;}}' +
        '\\pard\\s1 First\\par\\pard\\s2 Second\\par\\pard\\outlinelevel2 Third\\par\\pard\\s0 Body\\par',
    )
    expect(headings.map(({ level, title }) => [level, title])).toEqual([
      [1, 'First'],
      [2, 'Second'],
      [3, 'Third'],
    ])
    expect(text).toBe('# First\n\n## Second\n\n### Third\n\nBody')
  })

  test('rows become a table, up to the first text behind it', async () => {
    const row = (cells: string[]) =>
      `\\trowd\\cellx1000\\cellx2000 ${cells.map((cell) => `\\pard\\intbl ${cell}\\cell`).join(' ')}\\row `
    const { text, tables } = await read(
      `Before\\par ${row(['A', 'B'])}${row(['1', 'two\\par lines'])}\\pard After\\par`,
    )
    expect(text).toBe('Before\n\n| A | B |\n| --- | --- |\n| 1 | two lines |\n\nAfter')
    expect(tables).toHaveLength(1)
  })

  test('lists keep their numbers and depth', async () => {
    const item = (marker: string, depth: number, name: string) =>
      `{\\listtext\\pard\\plain ${marker}\\tab}\\pard\\ls1\\ilvl${depth} ${name}\\par `
    expect(await textOf(item('1.', 0, 'One') + item('a.', 1, 'Two') + item("\\'b7", 0, 'Three'))).toBe(
      '1. One\n  a. Two\n- Three',
    )
  })

  test('a field is read by its result, a footnote where it is called', async () => {
    expect(await textOf('See {\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt the page}}.{\\footnote A note.} On.')).toBe(
      'See the page. [A note.] On.',
    )
  })

  test('comments follow their paragraph, heads and feet of pages are at the end, once; none changes the text around it', async () => {
    const comment =
      '{\\*\\atnid A}{\\*\\atnauthor Anna}{\\chatn{\\*\\annotation{\\*\\atnref 1}\\pard\\plain \\s0 Is it\\par true?}}'
    const heads =
      '{\\header\\pard Annual report\\par}{\\headerf\\pard Annual report\\par}{\\footer\\pard Page 3 of 9\\par}'
    const { text, headings } = await read(`${heads}\\pard\\outlinelevel0 First${comment} half\\par\\pard Text\\par`)
    expect(text).toBe('# First half\n\n(Comment by Anna: Is it true?)\n\nText\n\n(Page header: Annual report)')
    expect(headings).toHaveLength(1)
  })

  test('the title is told', async () => {
    expect((await read('{\\info{\\title My report}{\\author Me}}Text')).title).toBe('My report')
  })
})

describe('files that are not what they should be', () => {
  test('a file cut off anywhere is damaged', async () => {
    const whole = Buffer.from("{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}Some \\'e9 text\\par{\\b bold} \\u8364? end}")
    for (let length = 0; length < whole.length; length += 1) {
      expect(await failureOf(readBytes(whole.subarray(0, length)))).toBe('damaged')
    }
    expect(await failureOf(readBytes(whole))).toBe('read')
  })

  test('100,000 groups within each other are too complex', async () => {
    expect(await failureOf(read('{'.repeat(100_000) + '}'.repeat(100_000)))).toBe('too_complex')
  })

  test('100,000 groups behind each other are read', async () => {
    expect((await textOf('{\\b a}'.repeat(100_000))).length).toBe(100_000)
  })

  test('a file without text has none', async () => {
    expect(await failureOf(read('{\\fonttbl{\\f0 Arial;}}'))).toBe('no_text')
  })
})

const sample = '../shared/corpus/misc/list_complex.rtf'

test.skipIf(!existsSync(sample))(
  'lists of a word processor keep their levels (skipped without ../shared/corpus)',
  async () => {
    const { text } = await readBytes(readFileSync(sample))
    expect(text).toStartWith('1. One\n2. Two\n  a. Three\n  b. Four\n    i. Five\n')
    expect(text).toContain('Out of list!\n\nStart with\n\n7. Seven Start\n8. Eight Continue')
  },
)
