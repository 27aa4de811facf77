import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pngPixels } from '#lib/png-pixels.ts'
import { failureOf } from '#test/support/documents/read-office.ts'
import { column, pdfOfScans } from '#test/support/documents/pdf-writer.ts'
import { height, pictureOf, scanOf, turnedPicture } from '#test/support/documents/scan.ts'
import { renderPdfPage } from '../pdf/render.ts'
import { readFile } from '../readers.ts'
import type { Reading } from '../reading.ts'
import { createRecogniser } from './recogniser.ts'
import type { OcrOptions } from './tesseract.ts'

const limits = { textMax: 1_000_000, pagesMax: 1_000, unpackedBytesMax: 1_000_000 }
const english: OcrOptions = { languages: ['eng'], directory: null, pagesMax: 10, besideTextOnly: false }
const lines = [
  'Invoice number 4711 of 12 March 2024',
  'The total amount is due within thirty days.',
  'Thank you for your order.',
]

async function read(bytes: Uint8Array, options: Partial<OcrOptions> = {}): Promise<Reading> {
  using recogniser = createRecogniser({ ...english, ...options }, async () => {})
  return await readFile({ bytes, name: 'a', reader: 'auto', limits, recogniser })
}

const flat = (text: string): string => text.replace(/\s+/g, ' ')

describe('pictures', () => {
  test('are read as text, with a warning that a machine has seen it', async () => {
    const { text, mediaType, pages, warnings } = await read(await pictureOf(lines))
    expect(flat(text)).toBe(lines.join(' '))
    expect([mediaType, pages.length]).toEqual(['image/png', 1])
    expect(warnings).toEqual(['The text was recognised in pictures and may differ from them in some letters.'])
  })

  test('without text have none', async () => {
    expect(await failureOf(read(await pictureOf([])))).toBe('no_text')
  })

  test('that declare more pixels than are recognised, cut-off ones and TIFF are refused before the engine is loaded', async () => {
    let asked = 0
    using recogniser = createRecogniser({ ...english, languages: ['xyz'] }, async () => {
      asked += 1
    })
    const png = Buffer.from(await pictureOf([]))
    const refused = async (bytes: Uint8Array) =>
      failureOf(readFile({ bytes, name: 'a', reader: 'auto', limits, recogniser }))
    const large = Buffer.from(png)
    large.writeUInt32BE(30_000, 16)
    large.writeUInt32BE(30_000, 20)
    const empty = Buffer.from(png)
    empty.writeUInt32BE(0, 16)
    expect(await refused(large)).toBe('too_complex')
    expect(await refused(empty)).toBe('damaged')
    expect(await refused(Buffer.from('II*\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1'))).toBeOneOf([
      'unsupported_type',
      'damaged',
    ])
    expect(asked).toBe(0)
  })

  test('whose pixels are not what the header says end as damaged or without text', async () => {
    const png = Buffer.from(await pictureOf(lines))
    for (const end of [60, 300, Math.floor(png.length / 2)]) {
      expect(await failureOf(read(png.subarray(0, end)))).toBeOneOf(['damaged', 'no_text', 'read'])
    }
  })

  test('are refused with a remedy where nothing recognises them', async () => {
    const reading = readFile({ bytes: await pictureOf(lines), name: 'a', reader: 'auto', limits })
    expect(await failureOf(reading)).toBe('unsupported_type')
  })
})

describe('languages', () => {
  test('that are not there are named with what to do', async () => {
    const picture = await pictureOf(lines)
    for (const language of ['xyz', '../../eng']) {
      expect(read(picture, { languages: [language] })).rejects.toThrow(/An administrator can install it/)
    }
  })

  test('come from the directory of the administrator first, several at once, packed or not', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-ocr-'))
    try {
      const path = Bun.resolveSync('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz', import.meta.dir)
      const data = Bun.gunzipSync(await Bun.file(path).bytes())
      writeFileSync(join(directory, 'own.traineddata'), data)
      writeFileSync(join(directory, 'two.traineddata.gz'), gzipSync(data, { level: 1 }))
      const { text } = await read(await pictureOf(lines), { languages: ['own', 'two'], directory })
      expect(flat(text)).toBe(lines.join(' '))
      writeFileSync(join(directory, 'bad.traineddata'), 'not language data')
      expect(await failureOf(read(await pictureOf(lines), { languages: ['bad'], directory }))).toBe('no_text')
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('scanned pages', () => {
  const typed = column(['This page was typed and has a text layer of its own.'])

  test('within a file are read in their place, and named in a warning', async () => {
    const scan = scanOf(await pictureOf(lines))
    const { text, pages, warnings } = await read(pdfOfScans([scan], typed))
    expect(flat(text)).toBe(`This page was typed and has a text layer of its own. ${lines.join(' ')}`)
    expect(pages.map(({ number }) => number)).toEqual([1, 2])
    expect(warnings).toEqual([
      'Page 2 is without a text layer; the text was recognised in pictures and may differ from them in some letters.',
    ])
  })

  test('beyond the number of pages are left out with a warning', async () => {
    const scan = scanOf(await pictureOf(lines))
    const { text, warnings } = await read(pdfOfScans([scan, scan]), { pagesMax: 1 })
    expect(flat(text)).toBe(lines.join(' '))
    expect(warnings[1]).toStartWith('Page 2 is without a text layer')
  })

  test('alone are left to a model that sees, where there is one', async () => {
    const scan = scanOf(await pictureOf(lines))
    expect(await failureOf(read(pdfOfScans([scan]), { besideTextOnly: true }))).toBe('no_text')
    expect((await read(pdfOfScans([scan], typed), { besideTextOnly: true })).text).toContain('4711')
  })

  test('are tables where columns are aligned', async () => {
    const row = (y: number, cells: readonly string[]) =>
      cells.map((text, at) => ({ text, x: 72 + 150 * at, y, size: 14 }))
    const table = [
      row(700, ['Item', 'Count', 'Price']),
      row(670, ['Apples', '12', '3.40']),
      row(640, ['Pears', '20', '5.60']),
      row(610, ['Plums', '35', '7.80']),
    ]
    const { text } = await read(pdfOfScans([scanOf(await pictureOf(table.flat()))]))
    expect(text).toContain('| Apples | 12 | 3.40 |')
  })

  test.each([1, 2, 3])('turned by %d quarters have a passage marked where its words are', async (quarters) => {
    const file = pdfOfScans([scanOf(turnedPicture(await pictureOf(lines), quarters))])
    using recogniser = createRecogniser(english, async () => {})
    const png = await renderPdfPage(file, 1, { pixelsMax: 250_000, passage: lines[1] ?? '', recogniser })
    const upright = pngPixels(turnedPicture(png, (4 - quarters) % 4))
    let [marked, above, below] = [0, upright.height, 0]
    for (let at = 0; at < upright.rgba.length; at += 4) {
      const isMarked = (upright.rgba[at] ?? 0) > 200 && (upright.rgba[at + 2] ?? 0) < 150
      if (!isMarked) continue
      const y = Math.floor(at / 4 / upright.width) / upright.height
      marked += 1
      above = Math.min(above, y)
      below = Math.max(below, y)
    }
    // The baselines of the lines are 42, 62 and 82 points below the upper edge.
    expect(marked).toBeGreaterThan(100)
    expect(above * height).toBeGreaterThan(44)
    expect(below * height).toBeLessThan(70)
  })
})
