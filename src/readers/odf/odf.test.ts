import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { openDocumentFile } from '#test/support/documents/office-files.ts'
import { failureOfReading, readBytes } from '#test/support/documents/read-office.ts'
import { odpReader } from './odp.ts'
import { odsReader } from './ods.ts'
import { odtReader } from './odt.ts'

const p = (text: string, style = ''): string => `<text:p text:style-name="${style}">${text}</text:p>`
const readText = (body: string, styles = '') =>
  readBytes(odtReader, openDocumentFile('text', body, { styles, title: 'T' }))
const textOf = async (body: string, styles = ''): Promise<string> => (await readText(body, styles)).text

describe('text', () => {
  test('headings, white space, links and spans', async () => {
    const body = `<text:h text:outline-level="2">Two</text:h>${p('a \n  b<text:s text:c="2"/>c<text:tab/>d<text:line-break/>e <text:span> f</text:span><text:a>g</text:a>')}`
    const { text, headings, title } = await readText(body)
    expect(text).toBe('## Two\n\na b  c\td\ne fg')
    expect(headings.map(({ level }) => level)).toEqual([2])
    expect(title).toBe('T')
  })

  test('lists show numbers where their style has them', async () => {
    const styles =
      '<text:list-style style:name="L"><text:list-level-style-bullet text:level="1"/><text:list-level-style-number text:level="2" style:num-format="1"/></text:list-style>'
    const item = (content: string): string => `<text:list-item>${content}</text:list-item>`
    const body = `<text:list text:style-name="L">${item(p('a') + p('more'))}${item(`${p('b')}<text:list>${item(p('c'))}${item(p('d'))}</text:list>`)}</text:list>`
    expect(await textOf(body, styles)).toBe('- a\n\nmore\n\n- b\n  1. c\n  2. d')
  })

  test('tables keep merged cells; one of a single column is a frame', async () => {
    const cell = (text: string, rest = ''): string => `<table:table-cell ${rest}>${p(text)}</table:table-cell>`
    const rows = [
      `<table:table-header-rows><table:table-row>${cell('a', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row></table:table-header-rows>`,
      `<table:table-row>${cell('b', 'table:number-rows-spanned="2"')}${cell('c')}</table:table-row>`,
      `<table:table-row><table:covered-table-cell/>${cell('d')}</table:table-row>`,
    ]
    expect(await textOf(`<table:table>${rows.join('')}</table:table>`)).toBe(
      '| a |  |\n| --- | --- |\n| b | c |\n| b | d |',
    )
    expect(await textOf(`<table:table><table:table-row>${cell('x')}</table:table-row></table:table>`)).toBe('x')
  })

  test('notes, text boxes and comments follow their paragraph; deletions are left out', async () => {
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p('below')}</text:note-body></text:note>`
    const box = `<draw:frame><draw:text-box>${p('boxed')}</draw:text-box></draw:frame>`
    const body = `<text:tracked-changes>${p('deleted')}</text:tracked-changes>${p(`x${note}${box}<office:annotation>${p('comment')}</office:annotation>y`)}`
    expect(await textOf(body)).toBe('x[1]y\n\n[1] below\n\nboxed\n\n(Comment: comment)')
  })

  test('pages begin at breaks of the last layout and of styles, except for the first', async () => {
    const styles = '<style:style style:name="B"><style:paragraph-properties fo:break-before="page"/></style:style>'
    const { text, pages } = await readText(
      `${p('one', 'B')}${p('still<text:soft-page-break/>')}${p('two')}${p('three', 'B')}`,
      styles,
    )
    expect(pages.map(({ number, start }) => `${number} ${text.slice(start, start + 3)}`)).toEqual([
      '1 one',
      '2 two',
      '3 thr',
    ])
  })

  test('formulas are read as they were typed', async () => {
    const frame = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    const math = '<math><semantics><mrow>E</mrow><annotation>E = m c^2</annotation></semantics></math>'
    const bytes = openDocumentFile('text', p(`so ${frame} holds`), { parts: { 'Object 1/content.xml': math } })
    expect((await readBytes(odtReader, bytes)).text).toBe('so E = m c^2 holds')
  })

  test('a password is asked for', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
    expect(
      await failureOfReading(
        odtReader,
        openDocumentFile('text', p('x'), { parts: { 'META-INF/manifest.xml': manifest } }),
      ),
    ).toBe('encrypted')
  })

  test('another kind of document is refused', async () => {
    expect(await failureOfReading(odtReader, openDocumentFile('spreadsheet', p('x')))).toBe('damaged')
    expect(await failureOfReading(odsReader, openDocumentFile('text', p('x')))).toBe('damaged')
    expect(await failureOfReading(odpReader, openDocumentFile('text', p('x')))).toBe('damaged')
  })
})

describe('spreadsheets', () => {
  const cell = (text: string, rest = ''): string => `<table:table-cell ${rest}>${p(text)}</table:table-cell>`
  const row = (cells: string, rest = ''): string => `<table:table-row ${rest}>${cells}</table:table-row>`
  const number = (text: string): string => cell(text, `office:value-type="float" office:value="${text}"`)

  test('sheets are pages with what their cells show; dates are exact', async () => {
    const date = cell('01/02/24', 'office:value-type="date" office:date-value="2024-02-01T00:00:00"')
    const comment = `<table:table-cell>${p('x')}<office:annotation>${p('comment')}</office:annotation></table:table-cell>`
    const sheets = [
      `<table:table table:name="One">${row(cell('Name') + cell('Value'))}${row(cell('a') + number('1'))}${row(comment + date)}</table:table>`,
      `<table:table table:name="Two">${row(cell('z'))}</table:table>`,
    ]
    const { text, pages } = await readBytes(odsReader, openDocumentFile('spreadsheet', sheets.join('')))
    expect(text).toBe(
      '# One\n\n| Name | Value |\n| --- | --- |\n| a | 1 |\n| x | 2024-02-01 |\n\n(Comment on A3: comment)\n\n# Two\n\nz',
    )
    expect(pages.map(({ label }) => label)).toEqual(['One', 'Two'])
  })

  test('repeated cells and rows are repeated, empty ones to the end of the sheet are not', async () => {
    const empty = row(
      '<table:table-cell table:number-columns-repeated="16384"/>',
      'table:number-rows-repeated="1048570"',
    )
    const body = `<table:table table:name="S">${row(cell('h', 'table:number-columns-repeated="2"'))}${row(number('1') + number('2'), 'table:number-rows-repeated="2"')}${empty}</table:table>`
    const { text } = await readBytes(odsReader, openDocumentFile('spreadsheet', body))
    expect(text).toBe('# S\n\n| h | h |\n| --- | --- |\n| 1 | 2 |\n| 1 | 2 |')
  })

  test('what says that it is repeated without end is cut', async () => {
    const body = `<table:table table:name="S">${row(cell('x', 'table:number-columns-repeated="1000000000"').repeat(1_000), 'table:number-rows-repeated="1000000000"')}</table:table>`
    const { warnings } = await readBytes(odsReader, openDocumentFile('spreadsheet', body))
    expect(warnings).toContain('Only the first 2000000 cells of the spreadsheet were read.')
  })
})

describe('presentations', () => {
  const shape = (kind: string, content: string): string =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${content}</draw:text-box></draw:frame>`

  test('slides are pages, with title first and notes last; footers are left out, hidden slides say so', async () => {
    const styles =
      '<style:style style:name="H"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    const list = `<text:list><text:list-item>${p('a')}</text:list-item><text:list-item>${p('b')}</text:list-item></text:list>`
    const notes = `<presentation:notes>${shape('page', '')}${shape('notes', p('Say this.'))}</presentation:notes>`
    const slides = [
      `<draw:page>${shape('footer', p('no'))}${shape('outline', list)}${shape('title', p('First'))}${notes}</draw:page>`,
      `<draw:page draw:style-name="H">${shape('title', p('Second'))}<draw:g><draw:custom-shape>${p('drawn')}</draw:custom-shape></draw:g></draw:page>`,
    ]
    const { text, pages } = await readBytes(odpReader, openDocumentFile('presentation', slides.join(''), { styles }))
    expect(text).toBe(
      '# First\n\n- a\n- b\n\nSpeaker notes: Say this.\n\n# Second\n\n(This slide is hidden in the presentation.)\n\ndrawn',
    )
    expect(pages.map(({ number }) => number)).toEqual([1, 2])
  })
})

const corpus = join(import.meta.dir, '../../../../shared/corpus/office')

describe.skipIf(!existsSync(corpus))('real documents', () => {
  test('a document that is one formula is that formula', async () => {
    const { text, warnings } = await readBytes(odtReader, readFileSync(join(corpus, 'formula.odt')))
    expect(text).toBe('E = m cdot c^2')
    expect(warnings).toEqual([])
  })
})
