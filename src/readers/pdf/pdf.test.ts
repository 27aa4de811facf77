import { describe, expect, test } from 'bun:test'
import { failureOf } from '#test/support/documents/read-office.ts'
import { existsSync, readFileSync } from 'node:fs'
import { pngPixels } from '#lib/png-pixels.ts'
import {
  column,
  encryptedPdf,
  pdfForm,
  pdfWithOnePageManyTimes,
  pdfWithPageTreeLoop,
  writePdf,
} from '#test/support/documents/pdf-writer.ts'
import type { PdfContent } from '#test/support/documents/pdf-writer.ts'
import { renderPdfPage } from './render.ts'
import { pdfReader } from './pdf.ts'
import type { Reading } from '../reading.ts'

const limits = { textMax: 5_000_000, pagesMax: 3000, unpackedBytesMax: 1e9 }

function readBytes(bytes: Uint8Array, pagesMax = limits.pagesMax): Promise<Reading> {
  return pdfReader.read({ bytes, name: 'a.pdf', mediaType: 'application/pdf', limits: { ...limits, pagesMax } })
}

function read(content: PdfContent): Promise<Reading> {
  return readBytes(writePdf(content))
}

const prose = [
  'The quick brown fox jumps over the lazy dog and goes on to say a',
  'few more words, so that this line is about as long as the others,',
  'until the paragraph ends here.',
]

describe('text', () => {
  test('lines that end because the column does are one paragraph', async () => {
    const { text } = await read({ pages: [{ texts: column(prose) }] })
    expect(text).toBe(prose.join(' '))
  })

  test('a wide gap between lines divides paragraphs', async () => {
    const { text } = await read({ pages: [{ texts: [...column(prose), ...column(prose, { y: 640 })] }] })
    expect(text).toBe(`${prose.join(' ')}\n\n${prose.join(' ')}`)
  })

  test('lines that end early keep their ends, as in an address', async () => {
    const address = ['Anna Example', '12 Long Meadow Road', 'Springfield']
    expect((await read({ pages: [{ texts: column(address) }] })).text).toBe(address.join('\n'))
  })

  test('a hyphen at the end of a line goes when it only divides the word, and stays when the word is written with it', async () => {
    const lines = [
      'Nobody in the whole wide world would ever have expected a state-of-the-',
      'art gateway to be so easy, and yet in this example of a paragraph the imp-',
      'ortant words of it come out whole whether divided or not, as important.',
    ]
    const { text } = await read({ pages: [{ texts: column(lines) }] })
    expect(text).toContain('a state-of-the-art gateway')
    expect(text).toContain('the important words')
  })

  test('two columns are read one after the other, also when the file has them line by line', async () => {
    const left = prose.map((line) => line.slice(0, 34))
    const right = prose.map((line) => line.slice(-30))
    const texts = left.flatMap((line, at) => [
      ...column([line], { y: 700 - 12 * at }),
      ...column([right[at] ?? ''], { x: 320, y: 700 - 12 * at }),
    ])
    const { text } = await read({ pages: [{ texts }] })
    expect(text.indexOf(left[2] ?? 'missing')).toBeLessThan(text.indexOf((right[0] ?? 'missing').trim()))
  })

  test('text of a page that is written from its foot to its head is put in order', async () => {
    const texts = [...column(prose), ...column(['First words of the page'], { y: 760 })]
    const { text } = await read({ pages: [{ texts: texts.toReversed() }] })
    expect(text.startsWith('First words of the page')).toBe(true)
  })

  test('items of a list become items, their further lines included', async () => {
    const texts = [
      ...column(['1. The first item of the list, which is so long that it has to be'], { x: 72, y: 700 }),
      ...column(['continued'], { x: 86, y: 688 }),
      ...column(['2. The second item'], { x: 72, y: 676 }),
    ]
    const { text } = await read({ pages: [{ texts }] })
    expect(text).toBe('1. The first item of the list, which is so long that it has to be continued\n2. The second item')
  })
})

describe('headings', () => {
  const body = (y: number) => column([...prose, ...prose], { y })

  test('larger letters make headings, with levels by their size', async () => {
    const texts = [
      { text: 'Report', x: 72, y: 780, size: 24 },
      { text: 'Part one', x: 72, y: 740, size: 16 },
      ...body(710),
      { text: 'Part two', x: 72, y: 600, size: 16 },
      ...body(570),
    ]
    const { headings, text, title } = await read({ pages: [{ texts }] })
    expect(headings.map(({ level, title: name }) => [level, name])).toEqual([
      [1, 'Report'],
      [2, 'Part one'],
      [2, 'Part two'],
    ])
    expect(title).toBe('Report')
    for (const mark of headings)
      expect(text.slice(mark.start, mark.end)).toBe(`${'#'.repeat(mark.level)} ${mark.title}`)
  })

  test('a bold line above text that is not bold is a heading', async () => {
    const { headings } = await read({
      pages: [{ texts: [{ text: 'Summary', x: 72, y: 730, bold: true }, ...body(710)] }],
    })
    expect(headings.map((heading) => heading.title)).toEqual(['Summary'])
  })

  test('the outline decides when it names the headings', async () => {
    const names = ['Alpha', 'Beta', 'Gamma']
    const pages = names.map((text) => ({ texts: [{ text, x: 72, y: 740 }, ...body(710)] }))
    const outline = names.map((title, page) => ({ title, page }))
    const { headings } = await read({ pages, outline })
    expect(headings.map(({ level, title }) => [level, title])).toEqual(names.map((name) => [1, name]))
  })

  test('the file’s own title is its title, unless it is the name of a file', async () => {
    expect((await read({ pages: [{ texts: column(prose) }], title: 'Annual report' })).title).toBe('Annual report')
    expect((await read({ pages: [{ texts: column(prose) }], title: 'Draft3.docx' })).title).toBeNull()
  })
})

describe('tables', () => {
  const cells = [
    ['Country', 'Capital', 'People'],
    ['France', 'Paris', '67'],
    ['Austria', 'Vienna', '9'],
    ['Japan', 'Tokyo', '125'],
  ]
  const rowsAt = (y: number) =>
    cells.flatMap((row, at) => row.map((text, place) => ({ text, x: 72 + place * 120, y: y - 14 * at })))

  test('rows of aligned cells become a Markdown table whose marks are exact', async () => {
    const { text, tables } = await read({ pages: [{ texts: [...column(prose, { y: 780 }), ...rowsAt(700)] }] })
    expect(tables).toHaveLength(1)
    const [table] = tables
    expect(text.slice(table?.start, table?.headerEnd)).toBe('| Country | Capital | People |\n| --- | --- | --- |')
    expect(text.slice(table?.headerEnd, table?.end)).toBe(
      '\n| France | Paris | 67 |\n| Austria | Vienna | 9 |\n| Japan | Tokyo | 125 |',
    )
  })

  test('a cell of several lines stays one cell', async () => {
    const more = { text: 'and Nice', x: 72 + 120, y: 700 - 14 - 10 }
    const texts = rowsAt(700).map((cell) => (cell.y < 686 ? { ...cell, y: cell.y - 10 } : cell))
    const { text } = await read({ pages: [{ texts: [...texts.slice(0, 6), more, ...texts.slice(6)] }] })
    expect(text).toContain('| France | Paris and Nice | 67 |')
  })

  test('two columns of running text are not a table', async () => {
    const texts = prose.flatMap((line, at) => [
      { text: line.slice(0, 48), x: 60, y: 700 - 12 * at },
      { text: line.slice(-48), x: 330, y: 700 - 12 * at },
    ])
    expect((await read({ pages: [{ texts }] })).tables).toEqual([])
  })
})

describe('pages', () => {
  test('each page has a mark at its first letter', async () => {
    const { pages, text } = await read({
      pages: [{ texts: column(['One here']) }, { texts: column(['Two here']) }, { texts: column(['Three here']) }],
    })
    expect(pages.map(({ start, number }) => [number, text.slice(start).split(' ')[0]])).toEqual([
      [1, 'One'],
      [2, 'Two'],
      [3, 'Three'],
    ])
  })

  test('heads, feet and page numbers that come again on each page are kept once', async () => {
    const pages = Array.from({ length: 6 }, (_, at) => ({
      texts: [
        ...column(['Annual report of the company'], { y: 810 }),
        ...column(prose),
        ...column([`Page ${at + 1} of 6`], { y: 30 }),
      ],
    }))
    const { text, warnings } = await read({ pages })
    expect(text.match(/Annual report/g)).toHaveLength(1)
    expect(text.match(/Page \d of 6/g)).toHaveLength(1)
    expect(text.match(/quick brown fox/g)).toHaveLength(6)
    expect(warnings).toHaveLength(1)
  })

  test('pages without a text layer are named in a warning', async () => {
    const { warnings, pages } = await read({
      pages: [{ texts: column(prose) }, { hasPicture: true }, { texts: column(prose) }],
    })
    expect(warnings.join()).toContain('Page 2 is without a text layer')
    expect(pages.map((page) => page.number)).toEqual([1, 3])
  })

  test('a file of pictures has no text, and the message tells the remedy', async () => {
    const reading = read({ pages: [{ hasPicture: true }, { hasPicture: true }] })
    expect(String(await reading.catch((error: unknown) => error))).toContain('vision model')
    expect(await failureOf(reading)).toBe('no_text')
  })

  test('a page is drawn as a PNG within the pixels allowed, dark where its text is', async () => {
    const bytes = writePdf({ pages: [{ texts: [{ text: 'MMMMMMMM', x: 72, y: 700, size: 60, bold: true }] }] })
    const { width, height, rgba } = pngPixels(await renderPdfPage(bytes, 1, { pixelsMax: 100_000, passage: '' }))
    expect(width * height).toBeLessThanOrEqual(100_000)
    expect(width / height).toBeCloseTo(595 / 842, 1)
    const dark = rgba.filter((value, at) => at % 4 === 0 && value < 100).length
    expect(dark).toBeGreaterThan(200)
    expect(rgba.slice(0, 4)).toEqual(Uint8Array.of(255, 255, 255, 255))
  })
})

describe('files that are not what they should be', () => {
  test('more pages than allowed are refused before any is read', async () => {
    expect(await failureOf(readBytes(pdfWithOnePageManyTimes(50_000)))).toBe('too_complex')
  })

  test('50,000 empty pages come to an end when they are allowed', async () => {
    expect(await failureOf(readBytes(pdfWithOnePageManyTimes(50_000), 100_000))).toBe('no_text')
  })

  test('a page tree that is its own child comes to an end', async () => {
    expect(await failureOf(readBytes(pdfWithPageTreeLoop()))).toBe('damaged')
  })

  test('a file that needs a password is encrypted', async () => {
    expect(await failureOf(readBytes(encryptedPdf()))).toBe('encrypted')
  })

  test('a file that ends anywhere is either read or damaged, and never anything else', async () => {
    const whole = writePdf({ pages: [{ texts: column(prose) }, { texts: column(prose) }], title: 'Cut' })
    for (let length = 0; length < whole.length; length += 17) {
      expect(['damaged', 'no_text', 'read']).toContain(await failureOf(readBytes(whole.subarray(0, length))))
    }
  })

  test('bytes that are not a PDF are damaged', async () => {
    expect(await failureOf(readBytes(Buffer.from('%PDF-1.7 and nothing more')))).toBe('damaged')
  })
})

const corpus = '../shared/corpus'

describe.skipIf(!existsSync(`${corpus}/pdf`))('files of the wild (skipped without ../shared/corpus)', () => {
  const readFile = (path: string): Promise<Reading> => readBytes(readFileSync(`${corpus}/${path}`))

  test('a paper in two columns has its headings, tables and whole words', async () => {
    const { text, headings, tables } = await readFile('pdf/multi-column.pdf')
    const titles = headings.map(({ title }) => title)
    expect(titles).toContain('1 Introduction')
    expect(titles).toContain('3.1 Overview')
    expect(titles).toContain('References')
    expect(tables.length).toBeGreaterThan(0)
    expect(text).toContain('| Natural Questions | 79,168 | 58,880 | 8,757 | 3,610 |')
    expect(text.match(/\p{L}-\n/gu)?.length ?? 0).toBeLessThan(10)
  })

  test('fonts that do not tell their letters are read', async () => {
    const { text } = await readFile('pdf/non_ascii_text.pdf')
    expect(text).toContain('Mediterrane Rasenameise')
    expect(text).toContain('„Kreuz')
  })

  test('Arabic is in reading order, its ligatures included', async () => {
    const { text } = await readFile('pdf/right_to_left_01.pdf')
    expect(text).toContain('تحسين الإنتاجية وحل المشكلات')
    expect(text).toContain('أيضًا')
  })

  test('tables of a paper and of a card’s terms are tables', async () => {
    expect((await readFile('pdf/embedded_images_tables.pdf')).text).toContain(
      '| Inhibitor concentration (g) | bc (V/dec) | ba (V/dec) | Ecorr (V) | icorr (A/cm²) | Polarization resistance (Ω) | Corrosion rate (mm/year) |',
    )
    expect((await readFile('pdf/korean-text-with-tables.pdf')).tables).toHaveLength(2)
  })

  test('a file that is only protected against copying is read', async () => {
    expect((await readFile('weird/copy-protected.pdf')).text).toContain('Recent advances in document image analysis')
  })

  test('a guide that holds only pictures has no text', async () => {
    expect(await failureOf(readFile('pdf/sharable_web_guide.pdf'))).toBe('no_text')
  })
})

describe('what is easily lost', () => {
  const headed = (head: (page: number) => string): PdfContent => ({
    pages: Array.from({ length: 12 }, (_, page) => ({
      texts: [{ text: head(page), x: 72, y: 800 }, ...column([`Text of sheet ${'abcdefghijkl'[page]}.`])],
    })),
  })

  test('page numbers and running heads are kept once', async () => {
    const { text } = await read(headed((page) => `Report 2024, page ${page + 3} of 40`))
    expect(text.match(/Report 2024/g)).toHaveLength(1)
  })

  test('ids at the head of pages that differ only in their numbers are text', async () => {
    const ids = [3, 4, 9, 10, 17, 31, 33, 40, 52, 60, 61, 77]
    const { text } = await read(headed((page) => `Section 12-${ids[page]}`))
    expect(text.match(/Section 12-\d+/g)).toHaveLength(12)
  })

  test('values filled into a form follow the page, with the name that the form shows', async () => {
    const { text } = await readBytes(
      pdfForm([
        '/FT/Tx/T(name)/TU(Full name)/V(Anna Example)',
        '/FT/Tx/T(empty)',
        '/FT/Btn/T(agree)/V/Yes/AS/Yes/AP<</N<</Yes 5 0 R/Off 5 0 R>>>>',
        '/FT/Btn/T(refuse)/V/Off/AS/Off/AP<</N<</Yes 5 0 R/Off 5 0 R>>>>',
        '/FT/Ch/Ff 131072/T(city)/Opt[(Bonn)(Ulm)]/V(Ulm)',
      ]),
    )
    expect(text).toBe('Application\n\nFull name: Anna Example\nagree: Yes\ncity: Ulm')
  })

  test('a file without its last bytes is read, however many of its end are missing', async () => {
    const whole = writePdf({ pages: [{ texts: column(prose) }] })
    const objectsEnd = Buffer.from(whole).lastIndexOf('xref\n0 ')
    for (let missing = 1; whole.length - missing >= objectsEnd; missing += 7) {
      expect((await readBytes(whole.subarray(0, whole.length - missing))).text).toBe(prose.join(' '))
    }
  })
})
