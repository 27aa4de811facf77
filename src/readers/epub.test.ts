import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { docx, epub } from '#test/support/documents/office-files.ts'
import { failureOfReading, readBytes } from '#test/support/documents/read-office.ts'
import { zip } from '#test/support/documents/zip-writer.ts'
import { epubReader } from './epub.ts'

const navItem = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
const ncxItem = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'

describe('chapters', () => {
  test('are pages in reading order, named by the table of contents of version 3', async () => {
    const nav =
      '<!DOCTYPE html><html xmlns:epub="e"><nav epub:type="landmarks"><a href="two.xhtml">wrong</a></nav><nav epub:type="toc"><ol><li><a href="two.xhtml#x">Second &amp; last</a></li></ol></nav></html>'
    const bytes = epub(
      { 'chapter one': '<h1>One</h1><p>text</p>', two: '<h1>Two</h1>' },
      { 'OEBPS/nav.xhtml': nav },
      navItem,
    )
    const { text, pages, title } = await readBytes(epubReader, bytes)
    expect(text).toBe('# One\n\ntext\n\n# Two')
    expect(pages.map(({ number, label }) => [number, label])).toEqual([
      [1, null],
      [2, 'Second & last'],
    ])
    expect(title).toBe('A Book')
  })

  test('are named by the table of contents of version 2, which has a document type', async () => {
    const point = (label: string, target: string, nested = ''): string =>
      `<navPoint><navLabel><text>${label}</text></navLabel><content src="${target}"/>${nested}</navPoint>`
    const ncx = `<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx><navMap>${point('Part', 'one.xhtml', point('Inside', 'two.xhtml#a'))}</navMap></ncx>`
    const { pages } = await readBytes(
      epubReader,
      epub({ one: '<p>1</p>', two: '<p>2</p>' }, { 'OEBPS/toc.ncx': ncx }, ncxItem),
    )
    expect(pages.map(({ label }) => label)).toEqual(['Part', 'Inside'])
  })

  test('are read when the table of contents is broken', async () => {
    const { pages } = await readBytes(epubReader, epub({ one: '<p>1</p>' }, { 'OEBPS/toc.ncx': '<ncx>' }, ncxItem))
    expect(pages.map(({ label }) => label)).toEqual([null])
  })

  test('that are missing are a warning', async () => {
    const bytes = zip([
      {
        name: 'META-INF/container.xml',
        content: '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
      },
      {
        name: 'b.opf',
        content:
          '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
      },
      { name: 'b.xhtml', content: '<p>here</p>' },
    ])
    const { text, warnings } = await readBytes(epubReader, bytes)
    expect(text).toBe('here')
    expect(warnings).toEqual(['A chapter that the book names is not in the file; it was left out.'])
  })
})

describe('refusals', () => {
  const encryption = (path: string, algorithm: string): Record<string, string> => ({
    'META-INF/encryption.xml': `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/><CipherData><CipherReference URI="${path}"/></CipherData></EncryptedData></encryption>`,
  })

  test('a copy-protected chapter is encrypted, a garbled font is not', async () => {
    const aes = 'http://www.w3.org/2001/04/xmlenc#aes128-cbc'
    expect(await failureOfReading(epubReader, epub({ one: '<p>1</p>' }, encryption('OEBPS/one.xhtml', aes)))).toBe(
      'encrypted',
    )
    expect(
      await failureOfReading(
        epubReader,
        epub({ one: '<p>1</p>' }, encryption('OEBPS/f.otf', 'http://www.idpf.org/2008/embedding')),
      ),
    ).toBe('read')
  })

  test('what is not an e-book is damaged', async () => {
    expect(await failureOfReading(epubReader, docx('<w:p/>'))).toBe('damaged')
  })
})

const corpus = join(import.meta.dir, '../../../shared/corpus/misc')

describe.skipIf(!existsSync(corpus))('real books', () => {
  test('a novel keeps its chapters', async () => {
    const { text, pages, headings, title } = await readBytes(
      epubReader,
      readFileSync(join(corpus, 'winter_sports.epub')),
    )
    expect(title).toBe('Winter Sports in Switzerland')
    expect(pages).toHaveLength(10)
    expect(headings.filter((heading) => heading.title.startsWith('CHAPTER')).length).toBeGreaterThanOrEqual(8)
    expect(text.length).toBeGreaterThan(300_000)
  })
})
