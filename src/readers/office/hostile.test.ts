/** What no document of these formats may do to the process that reads it, for each reader alike. */

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import type { Reader } from '../reading.ts'
import { docx, docxEntries, epub, openDocumentFile, pptx, xlsx } from '#test/support/documents/office-files.ts'
import { failureOfReading, readBytes } from '#test/support/documents/read-office.ts'
import { zip } from '#test/support/documents/zip-writer.ts'
import { docxReader } from './docx.ts'
import { epubReader } from '../epub.ts'
import { odpReader } from '../odf/odp.ts'
import { odsReader } from '../odf/ods.ts'
import { odtReader } from '../odf/odt.ts'
import { pptxReader } from './pptx.ts'
import { xlsxReader } from './xlsx.ts'

const paragraph = '<w:p><w:r><w:t>text</w:t></w:r></w:p>'
const sheetRow = '<row><c><v>1</v></c></row>'
const slideShape = '<p:sp><p:txBody><a:p><a:r><a:t>text</a:t></a:r></a:p></p:txBody></p:sp>'

/** A reader, a small file that it reads, and the same with something put where its text is. */
interface Sample {
  readonly reader: Reader
  readonly withText: (inserted: string) => Uint8Array
}

const samples: readonly Sample[] = [
  { reader: docxReader, withText: (inserted) => docx(inserted + paragraph) },
  { reader: pptxReader, withText: (inserted) => pptx([{ shapes: inserted + slideShape }]) },
  { reader: xlsxReader, withText: (inserted) => xlsx({ S: `<sheetData>${inserted}${sheetRow}</sheetData>` }) },
  { reader: odtReader, withText: (inserted) => openDocumentFile('text', `${inserted}<text:p>text</text:p>`) },
  {
    reader: odsReader,
    withText: (inserted) =>
      openDocumentFile(
        'spreadsheet',
        `${inserted}<table:table><table:table-row><table:table-cell><text:p>text</text:p></table:table-cell></table:table-row></table:table>`,
      ),
  },
  {
    reader: odpReader,
    withText: (inserted) =>
      openDocumentFile(
        'presentation',
        `${inserted}<draw:page><draw:frame><draw:text-box><text:p>text</text:p></draw:text-box></draw:frame></draw:page>`,
      ),
  },
  { reader: epubReader, withText: (inserted) => epub({ one: `${inserted}<p>text</p>` }) },
]

for (const { reader, withText } of samples) {
  const isMarkup = reader.name === 'epub'

  describe(reader.name, () => {
    test('the sample is read', async () => {
      expect(await failureOfReading(reader, withText(''))).toBe('read')
    })

    test('every cut of the file at each tenth byte is damaged', async () => {
      const whole = withText('')
      for (let length = 0; length < whole.length; length += 10) {
        expect(await failureOfReading(reader, whole.subarray(0, length))).toBe('damaged')
      }
    })

    test('any changed byte ends in a reading or a failure that says why', async () => {
      const whole = withText('')
      for (let at = 0; at < whole.length; at += 7) {
        const changed = whole.slice()
        changed[at] = (changed[at] ?? 0) ^ 0xff
        expect(['read', 'damaged', 'encrypted', 'too_complex', 'no_text']).toContain(
          await failureOfReading(reader, changed),
        )
      }
    })

    test('50,000 nested elements are refused, or do not matter', async () => {
      const nested = `${'<x>'.repeat(50_000)}${'</x>'.repeat(50_000)}`
      expect(await failureOfReading(reader, withText(nested))).toBe(isMarkup ? 'read' : 'too_complex')
    })

    test('a file that unpacks to more than the limit is refused', async () => {
      expect(await failureOfReading(reader, withText(''), { unpackedBytesMax: 200 })).toBe('too_complex')
    })

    test('what is not an archive, and an archive of something else, are damaged', async () => {
      for (const bytes of [
        new Uint8Array(0),
        Buffer.from('%PDF-1.7'),
        Buffer.from('<html>'),
        randomBytes(5_000),
        zip([{ name: 'x', content: 'y' }]),
      ]) {
        expect(await failureOfReading(reader, bytes)).toBe('damaged')
      }
    })
  })
}

describe('entities', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(100)}">${'bcdefgh'
    .split('')
    .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefg'[index]};`.repeat(100)}">`)
    .join('')}]>`

  test('of a document type are refused with it', async () => {
    const entries = docxEntries(paragraph).map((entry) =>
      entry.name === 'word/document.xml'
        ? { ...entry, content: `${bomb}<w:document><w:body><w:p><w:r><w:t>&h;</w:t></w:r></w:p></w:body></w:document>` }
        : entry,
    )
    expect(await failureOfReading(docxReader, zip(entries))).toBe('damaged')
  })

  test('of other files are not fetched: they stay names', async () => {
    const chapter = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/hostname">]><p>&secret;</p>'
    const { text } = await readBytes(epubReader, epub({ one: chapter }))
    expect(text).toContain('&secret;')
  })
})

describe('passwords', () => {
  test('an Office file with one is encrypted: it is a compound file and no archive', async () => {
    const compound = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1_000),
      Buffer.from('EncryptedPackage', 'utf16le'),
      Buffer.alloc(100),
    ])
    for (const reader of [docxReader, pptxReader, xlsxReader])
      expect(await failureOfReading(reader, compound)).toBe('encrypted')
  })

  test('an archive with an encrypted entry is encrypted', async () => {
    const entries = docxEntries(paragraph).map((entry) => ({ ...entry, encrypted: entry.name === 'word/document.xml' }))
    expect(await failureOfReading(docxReader, zip(entries))).toBe('encrypted')
  })
})

describe('little that says that it is much', () => {
  test('cells that are as wide as they like', async () => {
    const row = '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr><w:p/></w:tc><w:tc/></w:tr>'
    expect(await failureOfReading(docxReader, docx(`<w:tbl>${row.repeat(3_000)}</w:tbl>`))).toBe('too_complex')
  })

  test('cells and rows at the far end of a sheet', async () => {
    const sheet =
      '<sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    expect((await readBytes(xlsxReader, xlsx({ S: sheet }))).text).toBe('# S\n\n1')
  })

  test('many rows that are as wide as the widest of them', async () => {
    const wide = `<row>${'<c><v>1</v></c>'.repeat(500)}</row>`
    const { warnings } = await readBytes(
      xlsxReader,
      xlsx({ S: `<sheetData>${wide}${sheetRow.repeat(8_000)}</sheetData>` }),
      { textMax: 100_000_000 },
    )
    expect(warnings).toEqual(['Of a table with 8001 rows only the first 8000 were read.'])
  })

  test('levels of lists that do not exist', async () => {
    const numbering =
      '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="999999999"><w:numFmt w:val="decimal"/><w:lvlText w:val="%9"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    const item =
      '<w:p><w:pPr><w:numPr><w:ilvl w:val="999999999"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>text</w:t></w:r></w:p>'
    expect((await readBytes(docxReader, docx(item, { numbering }))).text).toBe('text')
  })

  test('one note that is referred to often is read once', async () => {
    const footnotes = `<w:footnotes><w:footnote w:id="1"><w:p><w:r><w:t>${'long '.repeat(10_000)}</w:t></w:r></w:p></w:footnote></w:footnotes>`
    const reference = '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'
    const { text } = await readBytes(docxReader, docx(reference.repeat(10_000), { footnotes }))
    expect(text.length).toBeLessThan(200_000)
  })

  test('one shared text in every cell is stopped by the limit on text', async () => {
    const sharedStrings = `<sst><si><t>${'x'.repeat(1_000_000)}</t></si></sst>`
    const sheet = `<sheetData>${'<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>'.repeat(1_000)}</sheetData>`
    expect(await failureOfReading(xlsxReader, xlsx({ S: sheet }, { sharedStrings }))).toBe('too_complex')
  })
})

describe('a very long', () => {
  test('run of rows, columns or paragraphs is read completely', async () => {
    const { text } = await readBytes(xlsxReader, xlsx({ S: `<sheetData>${sheetRow.repeat(300_000)}</sheetData>` }))
    expect(text.length).toBe('# S\n\n| --- |'.length + 300_000 * '| 1 |\n'.length)
    const box = `<draw:frame><draw:text-box>${'<text:p>x</text:p>'.repeat(300_000)}</draw:text-box></draw:frame>`
    const inside = await readBytes(odtReader, openDocumentFile('text', `<text:p>${box}</text:p>`))
    expect(inside.text.length).toBe(300_000 * 3 - 2)
  })

  test('paragraph of many small pieces takes time in proportion', async () => {
    const pieces = '<w:r><w:t>ab </w:t><w:tab/></w:r><w:r><w:lastRenderedPageBreak/></w:r>'.repeat(900)
    const { text, pages } = await readBytes(
      docxReader,
      docx(`<w:p>${pieces}</w:p><w:p><w:r><w:t>end</w:t></w:r></w:p>`),
    )
    expect(text).toHaveLength(900 * 4 - 2 + 5)
    expect(pages.at(-1)?.number).toBe(901)
  })
})
