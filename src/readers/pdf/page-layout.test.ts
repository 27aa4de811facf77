/** The order of lines on a page, what a drop cap belongs to, and tables without lines around them. */
import { describe, expect, test } from 'bun:test'
import { column, writePdf, type PdfContent } from '#test/support/documents/pdf-writer.ts'
import { pdfReader } from './pdf.ts'

const limits = { textMax: 100_000, pagesMax: 100, unpackedBytesMax: 1_000_000 }
const read = (content: PdfContent) =>
  pdfReader.read({ bytes: writePdf(content), name: 'file', mediaType: 'application/pdf', limits })

describe('lines from right to left', () => {
  const seen = (text: string, y = 700, x = 72) => ({ text, x, y, visual: true as const })
  const reversed = (word: string): string => word.split('').toReversed().join('')
  /** As a line of Hebrew is seen: words from the right, each of them reversed; others as they are. */
  const shown = (logical: string): string =>
    logical
      .split(' ')
      .map((word) => (/[\u05d0-\u05ea]/.test(word) ? reversed(word) : word))
      .toReversed()
      .join(' ')
  const textOf = async (...texts: ReturnType<typeof seen>[]): Promise<string> =>
    (await read({ pages: [{ texts }] })).text

  test('have their words, numbers and last full stop in the order of reading', async () => {
    expect(await textOf(seen(shown('שלום עולם')))).toBe('שלום עולם')
    expect(await textOf(seen(shown('מספר 123 מתוך 4567 עמודים')))).toBe('מספר 123 מתוך 4567 עמודים')
    expect(await textOf(seen(`.12:30 ${reversed('בשעה')}`))).toBe('בשעה 12:30.')
  })

  test('have names of another script with their numbers from the left', async () => {
    const line = `${reversed('היום')} PDFium 2.5 ${reversed('הגרסה')}`
    expect(await textOf(seen(line))).toBe('הגרסה PDFium 2.5 היום')
  })

  test('have brackets that open before they close, whichever way the file has them', async () => {
    const [last, first] = [reversed('אחרון'), reversed('ראשון')]
    expect(await textOf(seen(`(${last} ${first}) ${reversed('הנה')}`))).toBe('הנה (ראשון אחרון)')
    expect(await textOf(seen(`)${last} ${first}( ${reversed('הנה')}`))).toBe('הנה (ראשון אחרון)')
  })

  test('within a line of another script are in their own order', async () => {
    expect(await textOf(seen(`Words like ${shown('שלום עולם')} are read 42 times`))).toBe(
      'Words like שלום עולם are read 42 times',
    )
  })

  test('with columns are tables whose first column is the right one', async () => {
    const rows = [
      ['שם', 'כמות', 'מחיר'],
      ['תפוח', '12', '3.50'],
      ['אגס', '7', '4.25'],
      ['שזיף', '20', '1.10'],
    ]
    const texts = rows.flatMap((row, at) =>
      row.map((cell, place) => seen(shown(cell), 700 - 14 * at, 400 - 120 * place)),
    )
    expect(await textOf(...texts)).toBe(
      '| שם | כמות | מחיר |\n| --- | --- | --- |\n| תפוח | 12 | 3.50 |\n| אגס | 7 | 4.25 |\n| שזיף | 20 | 1.10 |',
    )
  })
})

describe('drop caps', () => {
  const tale = ['nce upon a time there was a', 'fox who lived in a wood and', 'ate what there was to eat.']
  const around = (text: readonly string[], x: number) => [
    ...column(text.slice(0, 2), { x: 72 + x, y: 700 }),
    ...column(text.slice(2), { y: 676 }),
  ]

  test('belong to the word that they begin, before or after it in the file', async () => {
    const cap = { text: 'O', x: 72, y: 690, size: 30 }
    const told = 'Once upon a time there was a fox who lived in a wood and ate what there was to eat.'
    for (const texts of [
      [cap, ...around(tale, 25)],
      [...around(tale, 25), cap],
    ]) {
      expect((await read({ pages: [{ texts }] })).text.replaceAll('\n', ' ')).toBe(told)
    }
  })

  test('that only rise above their line belong to it', async () => {
    const texts = [{ text: 'W', x: 72, y: 700, size: 30 }, ...column(['hen all was still the fox'], { x: 101, y: 700 })]
    expect((await read({ pages: [{ texts }] })).text).toBe('When all was still the fox')
  })

  test('that are a word of their own stay one', async () => {
    const cap = { text: 'A', x: 72, y: 690, size: 30 }
    const texts = [cap, ...column([' fox who lived in a wood', 'met one more fox there.'], { x: 97, y: 700 })]
    expect((await read({ pages: [{ texts }] })).text).toBe('A fox who lived in a wood met one more fox there.')
  })
})

describe('tables without lines', () => {
  const rowsOf = (rows: readonly (readonly string[])[], at: readonly number[]) =>
    rows.flatMap((row, line) => row.map((text, cell) => ({ text, x: at[cell] ?? 0, y: 700 - 12 * line })))

  test('a head and one row are a table when their cells are below each other', async () => {
    const texts = rowsOf(
      [
        ['Order', 'Date', 'Total'],
        ['4711', '2024-05-17', '19.99'],
      ],
      [72, 150, 250],
    )
    const { text, tables } = await read({ pages: [{ texts }] })
    expect(text).toBe('| Order | Date | Total |\n| --- | --- | --- |\n| 4711 | 2024-05-17 | 19.99 |')
    expect(tables).toHaveLength(1)
  })

  test('columns that are closer than a line is high are columns when every line has them', async () => {
    const rows = [
      ['Apples', '12', '3.50'],
      ['Plums', '7', '4.25'],
      ['Melons', '20', '1.10'],
      ['Quinces', '3', '9.75'],
    ]
    const { text } = await read({ pages: [{ texts: rowsOf(rows, [72, 114, 132]) }] })
    expect(text).toBe(
      '| Apples | 12 | 3.50 |\n| --- | --- | --- |\n| Plums | 7 | 4.25 |\n| Melons | 20 | 1.10 |\n| Quinces | 3 | 9.75 |',
    )
  })

  test('running text with wide spaces below each other stays text', async () => {
    const texts = ['ate what', 'was left', 'of these', 'two dogs'].flatMap((line, at) => {
      const [first = '', second = ''] = line.split(' ')
      return [
        { text: `the cat ${first}`, x: 72, y: 700 - 12 * at },
        { text: `${second} some more of it`, x: 130, y: 700 - 12 * at },
      ]
    })
    expect((await read({ pages: [{ texts }] })).tables).toHaveLength(0)
  })
})
