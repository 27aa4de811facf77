import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { docx, officePackage } from '#test/support/documents/office-files.ts'
import { failureOfReading, readBytes } from '#test/support/documents/read-office.ts'
import { docxReader } from './docx.ts'

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const p = (text: string, properties = ''): string => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`
const styled = (style: string, text: string): string => p(text, `<w:pStyle w:val="${style}"/>`)
const style = (id: string, name: string, rest = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${rest}</w:style>`
const styles = (...all: string[]): string => `<w:styles xmlns:w="w">${all.join('')}</w:styles>`
const cell = (text: string, properties = ''): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text)}</w:tc>`
const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`
const table = (...rows: string[]): string => `<w:tbl>${rows.join('')}</w:tbl>`
const read = async (body: string, parts: Record<string, string> = {}, title?: string) =>
  readBytes(docxReader, docx(body, parts, title))
const textOf = async (body: string, parts: Record<string, string> = {}) => (await read(body, parts)).text

describe('headings', () => {
  test('are found by English and localized names, by outline level, and by what a style is based on', async () => {
    const { headings } = await read(
      [
        styled('T', 'Whole'),
        styled('H1', 'One'),
        styled('berschrift2', 'Zwei'),
        styled('Own', 'Based'),
        styled('Outlined', 'Four'),
        p('Direct', '<w:outlineLvl w:val="2"/>'),
        p('Text', '<w:pStyle w:val="H1"/><w:outlineLvl w:val="9"/>'),
        styled('Body', 'Body'),
        styled('Unknown', 'Unknown'),
      ].join(''),
      {
        styles: styles(
          style('T', 'Title'),
          style('H1', 'heading 1'),
          style('berschrift2', 'Überschrift 2'),
          style('Own', 'House style', '<w:basedOn w:val="H1"/>'),
          style('Outlined', 'Anything', '<w:pPr><w:outlineLvl w:val="3"/></w:pPr>'),
          style('Body', 'Body Text', '<w:basedOn w:val="H1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
        ),
      },
    )
    expect(headings.map(({ level, title }) => `${level} ${title}`)).toEqual([
      '1 Whole',
      '1 One',
      '2 Zwei',
      '1 Based',
      '4 Four',
      '3 Direct',
    ])
  })

  test('styles that are based on each other end', async () => {
    const parts = {
      styles: styles(style('A', 'a', '<w:basedOn w:val="B"/>'), style('B', 'b', '<w:basedOn w:val="A"/>')),
    }
    expect(await textOf(styled('A', 'text'), parts)).toBe('text')
  })

  test('carry the numbers that are counted for them', async () => {
    const level = (index: number, format: string, pattern: string): string =>
      `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${pattern}"/></w:lvl>`
    const parts = {
      styles: styles(
        style('H1', 'heading 1', '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'),
        style('H2', 'heading 2', '<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>'),
      ),
      numbering: `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0">${level(0, 'upperRoman', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    }
    const { headings } = await read(
      [styled('H1', 'A'), styled('H2', 'B'), styled('H2', 'C'), styled('H1', 'D'), styled('H2', 'E')].join(''),
      parts,
    )
    expect(headings.map(({ title }) => title)).toEqual(['I. A', 'I.a) B', 'I.b) C', 'II. D', 'II.a) E'])
  })
})

describe('paragraphs', () => {
  test('runs, tabs, line breaks, hyperlinks, fields and insertions are text; instructions, deletions and hidden text are not', async () => {
    const body = `<w:p>${run('a')}<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/></w:r>
      <w:hyperlink r:id="x">${run('link')}</w:hyperlink><w:fldSimple w:instr="PAGE">${run('7')}</w:fldSimple>
      <w:r><w:instrText>TOC \\o</w:instrText></w:r><w:ins>${run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>
      <w:moveFrom>${run('moved')}</w:moveFrom><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>
      <w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r></w:p>`
    expect(await textOf(body)).toBe('a\tb\nc-link7newshown')
  })

  test('content controls are looked through; of alternatives only the first is read', async () => {
    const body = `<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${p('inside')}</w:sdtContent></w:sdt>
      <w:p><w:r><mc:AlternateContent><mc:Choice><w:t>first</w:t></mc:Choice><mc:Fallback><w:t>second</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`
    expect(await textOf(body)).toBe('inside\n\nfirst')
  })

  test('text boxes follow the paragraph that they are anchored in', async () => {
    expect(
      await textOf(
        `<w:p>${run('before')}<w:r><w:pict><w:txbxContent>${p('boxed')}</w:txbxContent></w:pict></w:r></w:p>${p('after')}`,
      ),
    ).toBe('before\n\nboxed\n\nafter')
  })

  test('notes follow the paragraph that refers to them, numbered through the document', async () => {
    const parts = {
      footnotes: `<w:footnotes xmlns:w="w"><w:footnote w:id="0" w:type="separator">${p('---')}</w:footnote><w:footnote w:id="2">${p('Under the page.')}</w:footnote></w:footnotes>`,
      endnotes: `<w:endnotes xmlns:w="w"><w:endnote w:id="2">${p('At the end.')}</w:endnote></w:endnotes>`,
    }
    const body = `<w:p>${run('One')}<w:r><w:footnoteReference w:id="2"/></w:r>${run('.')}</w:p><w:p>${run('Two')}<w:r><w:endnoteReference w:id="2"/></w:r></w:p>`
    expect(await textOf(body, parts)).toBe('One[1].\n\n[1] Under the page.\n\nTwo[2]\n\n[2] At the end.')
  })

  test('lists show their bullets, numbers and depth', async () => {
    const item = (text: string, list: number, level = 0): string =>
      p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`)
    const parts = {
      numbering: `<w:numbering xmlns:w="w">
        <w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val=""/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
        <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
        <w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num></w:numbering>`,
    }
    const body = [
      item('a', 1),
      item('b', 1, 1),
      p('x'),
      item('c', 2),
      item('d', 2),
      p('y'),
      item('e', 3),
      item('f', 2),
    ].join('')
    expect(await textOf(body, parts)).toBe('- a\n  - b\n\nx\n\n1. c\n2. d\n\ny\n\n5. e\n3. f')
  })

  test('roots, sums, brackets, functions and matrices keep their signs', async () => {
    const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`
    const cases: readonly [string, string][] = [
      [`<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${r('x+1')}</m:e></m:rad>`, '√(x+1)'],
      [`<m:rad><m:deg>${r('3')}</m:deg><m:e>${r('x')}</m:e></m:rad>`, '∛x'],
      [
        `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup><m:e>${r('i')}</m:e></m:nary>`,
        '∑_(i=1)^n i',
      ],
      [`<m:nary><m:sub/><m:sup/><m:e>${r('f')}</m:e></m:nary>`, '∫ f'],
      [`${r('f')}<m:d><m:e>${r('x')}</m:e></m:d>`, 'f(x)'],
      [
        `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr><m:e>${r('a')}</m:e><m:e>${r('b')}</m:e></m:d>`,
        '[a|b',
      ],
      [`<m:func><m:fName>${r('sin')}</m:fName><m:e>${r('x')}</m:e></m:func>`, 'sin x'],
      [`<m:m><m:mr><m:e>${r('1')}</m:e><m:e>${r('2')}</m:e></m:mr><m:mr><m:e>${r('3')}</m:e></m:mr></m:m>`, '1, 2; 3'],
    ]
    for (const [formula, text] of cases) expect(await textOf(`<w:p><m:oMath>${formula}</m:oMath></w:p>`)).toBe(text)
  })

  test('the text that stands for a picture is kept where the picture is', async () => {
    const picture =
      '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="A red barn"/></wp:inline></w:drawing></w:r>'
    expect(await textOf(`<w:p>${run('Look:')}${picture}</w:p>`)).toBe('Look: A red barn')
  })

  test('formulas are written in one line', async () => {
    const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`
    const fraction = `<m:f><m:num>${r('a+b')}</m:num><m:den>${r('2')}</m:den></m:f>`
    const power = `<m:sSup><m:e>${r('c')}</m:e><m:sup>${r('2')}</m:sup></m:sSup>`
    expect(await textOf(`<w:p><m:oMath>${r('x=')}${fraction}${r('+')}${power}</m:oMath></w:p>`)).toBe('x=(a+b)/2+c^2')
  })

  test('elements that the format does not know are looked through, whatever their names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'unknown']
    const body = names.map((name) => `<w:p><w:r><${name}><w:t>${name}</w:t></${name}></w:r></w:p>`)
    expect(await textOf(body.join(''))).toBe(names.join('\n\n'))
  })

  test('pictures are counted in a warning', async () => {
    const { warnings } = await read(`${p('x')}<w:p><w:r><w:drawing><a:blip/></w:drawing></w:r></w:p>`)
    expect(warnings).toEqual(['1 pictures were left out: only the text was read.'])
  })
})

describe('tables', () => {
  test('merged cells stand first across columns and in each row down rows', async () => {
    const body = table(
      row(cell('a'), cell('b', '<w:gridSpan w:val="2"/>')),
      row(cell('c', '<w:vMerge w:val="restart"/>'), cell('d'), cell('e')),
      row(cell('', '<w:vMerge/>'), cell('f'), cell('g')),
    )
    const { text, tables } = await read(body)
    expect(text).toBe('| a | b |  |\n| --- | --- | --- |\n| c | d | e |\n| c | f | g |')
    expect(tables).toHaveLength(1)
  })

  test('a table of one column, or one row of longer texts, is a frame: what is in it is read as text', async () => {
    const parts = { styles: styles(style('H1', 'heading 1')) }
    expect(
      await textOf(table(`<w:tr><w:tc>${styled('H1', 'Title')}${p('text')}</w:tc></w:tr>`, row(cell('below'))), parts),
    ).toBe('# Title\n\ntext\n\nbelow')
    const long = 'left '.repeat(20).trim()
    expect(await textOf(table(row(cell(long), cell('right'))))).toBe(`${long}\n\nright`)
  })

  test('a table of one row of short cells is a table', async () => {
    const { text, tables } = await read(table(row(cell('Total'), cell('12'), cell('34'))))
    expect(text).toBe('| Total | 12 | 34 |\n| --- | --- | --- |')
    expect(tables).toHaveLength(1)
  })

  test('a table in a cell becomes part of its text; rows that were deleted with changes tracked are left out', async () => {
    const inner = table(row(cell('1'), cell('2')), row(cell('3'), cell('4')))
    const body = table(
      row(cell('a'), cell('b')),
      row(`<w:tc>${p('x')}${inner}</w:tc>`, cell('y')),
      `<w:tr><w:trPr><w:del/></w:trPr>${cell('gone')}${cell('gone')}</w:tr>`,
    )
    expect(await textOf(body)).toBe('| a | b |\n| --- | --- |\n| x 1, 2; 3, 4 | y |')
  })
})

describe('pages', () => {
  const rendered = '<w:r><w:lastRenderedPageBreak/></w:r>'
  const explicit = '<w:r><w:br w:type="page"/></w:r>'

  test('begin where the document was last laid out; breaks of the author say nothing more then', async () => {
    const { text, pages } = await read(
      `${p('one')}<w:p>${explicit}</w:p><w:p>${rendered}${run('two')}</w:p><w:p>${run('still two')}${rendered}${run(' and three')}</w:p>${p('three')}`,
    )
    expect(pages.map(({ number, start }) => `${number} ${text.slice(start, start + 5)}`)).toEqual([
      '1 one\n\n',
      '2 two\n\n',
      '3 three',
    ])
  })

  test('begin at breaks of the author when those are all and no page would be too long', async () => {
    const { text, pages } = await read(
      `${p('one')}<w:p>${explicit}</w:p>${p('two')}${p('three', '<w:pageBreakBefore/>')}`,
    )
    expect(pages.map(({ number, start }) => `${number} ${text.slice(start, start + 3)}`)).toEqual([
      '1 one',
      '2 two',
      '3 thr',
    ])
    expect((await read(`${p('long '.repeat(1_300))}<w:p>${explicit}</w:p>${p('two')}`)).pages).toEqual([])
    expect((await read(p('one'))).pages).toEqual([])
  })
})

describe('files', () => {
  test('the title is that of the core properties', async () => {
    expect((await read(p('x'), {}, 'The &amp; Title')).title).toBe('The & Title')
    expect((await read(p('x'))).title).toBeNull()
  })

  test('parts are found by their relationship, whatever they are called, with any prefix, with absolute targets', async () => {
    const bytes = officePackage({
      main: '/strange/name.bin',
      parts: {
        'strange/name.bin':
          '<ns0:document xmlns:ns0="w"><ns0:body><ns0:p><ns0:pPr><ns0:pStyle ns0:val="h"/></ns0:pPr><ns0:r><ns0:t>Found</ns0:t></ns0:r></ns0:p></ns0:body></ns0:document>',
        'styles/s.xml': styles(style('h', 'heading 2')),
      },
      relations: { 'strange/name.bin': ['styles ../styles/s.xml'] },
    })
    expect((await readBytes(docxReader, bytes)).text).toBe('## Found')
  })

  test('a document without text has no text', async () => {
    expect(await failureOfReading(docxReader, docx('<w:p/>'))).toBe('no_text')
  })

  test('another kind of Office file is refused', async () => {
    const bytes = officePackage({
      main: 'xl/workbook.xml',
      parts: { 'xl/workbook.xml': '<workbook><sheets/></workbook>' },
    })
    expect(await failureOfReading(docxReader, bytes)).toBe('damaged')
  })

  test('more text than the limit is refused', async () => {
    expect(await failureOfReading(docxReader, docx(p('x'.repeat(101))), { textMax: 100 })).toBe('too_complex')
  })
})

const corpus = join(import.meta.dir, '../../../../shared/corpus/office')

describe.skipIf(!existsSync(corpus))('real documents', () => {
  test('a handbook of 872 pages keeps its chapters and notes', async () => {
    const { text, headings } = await readBytes(docxReader, readFileSync(join(corpus, 'handbook-872p.docx')))
    expect(text.length).toBeGreaterThan(800_000)
    expect(headings.filter(({ level }) => level === 1).length).toBe(14)
    expect(headings.every(({ start, end, title }) => text.slice(start, end).endsWith(title))).toBe(true)
    expect(text).toContain('\n\n[1] /   28 U.S.C.')
  })

  test('lists of Word keep numbers and depth', async () => {
    const { text } = await readBytes(docxReader, readFileSync(join(corpus, 'unit_test_lists.docx')))
    expect(text).toContain('1. List item a\n2. List item b\n3. List item c')
    expect(text).toContain('- List item 1\n  - List item 1.1\n    - List item 1.1.1\n- List item 3')
  })

  test('tables of Word keep merged cells in each row', async () => {
    const { text, tables } = await readBytes(docxReader, readFileSync(join(corpus, 'word_tables.docx')))
    expect(tables).toHaveLength(5)
    expect(text).toContain(
      '| Cell 3.0 | Merged Cell 3.1 4.1 | Cell 3.2 |\n| Cell 4.0 | Merged Cell 3.1 4.1 | Cell 4.2 |',
    )
  })
})
