import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { officePackage, xlsx } from '#test/support/documents/office-files.ts'
import { failureOfReading, readBytes } from '#test/support/documents/read-office.ts'
import { xlsxReader } from './xlsx.ts'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Rows of a sheet: texts inline, numbers as numbers, null for nothing. */
const data = (...rows: readonly (readonly (string | number | null)[])[]): string =>
  `<sheetData>${rows
    .map((row, index) => {
      const cells = row.map((value, column) => {
        if (value === null) return ''
        const reference = `${letters[column]}${index + 1}`
        return typeof value === 'number'
          ? `<c r="${reference}"><v>${value}</v></c>`
          : `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`
      })
      return `<row r="${index + 1}">${cells.join('')}</row>`
    })
    .join('')}</sheetData>`

/** Without the heading that every sheet has. */
const textOf = async (sheet: string, parts: Record<string, string> = {}): Promise<string> =>
  (await readBytes(xlsxReader, xlsx({ S: sheet }, parts))).text.replace('# S\n\n', '')

describe('values', () => {
  test('of every type are what a person sees', async () => {
    const parts = {
      sharedStrings:
        '<sst><si><t>plain</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si><si><t>a_x000D_b</t></si></sst>',
      styles:
        '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs></styleSheet>',
    }
    const cells = [
      '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>99</v></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c>',
      '<c s="1"><v>45292</v></c><c s="2"><v>45292.5</v></c><c s="3"><v>0.5</v></c><c t="str"><f>A1</f><v>formula</v></c><c t="d"><v>2024-05-06</v></c><c><v>0.30000000000000004</v></c>',
    ]
    const sheet = `<sheetData>${cells.map((row) => `<row>${row}</row>`).join('')}</sheetData>`
    expect(await textOf(sheet, parts)).toBe(
      '| plain | rich | a b |  | TRUE | #REF! |\n| --- | --- | --- | --- | --- | --- |\n| 2024-01-01 | 2024-01-01 | 50% | formula | 2024-05-06 | 0.3 |',
    )
  })

  test('of formulas without a stored result are missing, and a warning says so', async () => {
    const bytes = xlsx({ S: '<sheetData><row><c><f>1+1</f></c><c><v>3</v></c></row></sheetData>' })
    expect((await readBytes(xlsxReader, bytes)).warnings).toEqual([
      '1 formulas have no stored result. Open the workbook in a spreadsheet program and save it.',
    ])
  })
})

describe('tables', () => {
  test('leave out empty rows and columns, and have titles above them', async () => {
    expect(
      await textOf(
        data(['Title', null, null], [null, null, null], ['Name', null, 'Value'], ['a', null, 1], ['b', null, 2]),
      ),
    ).toBe('Title\n\n| Name | Value |\n| --- | --- |\n| a | 1 |\n| b | 2 |')
  })

  test('go on behind an empty row, and end where another header follows one', async () => {
    const rows = data(['Name', 'Value'], ['a', 1], [], ['b', 2], [], ['City', 'Size'], ['c', 3])
    expect(await textOf(rows)).toBe(
      '| Name | Value |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n\n| City | Size |\n| --- | --- |\n| c | 3 |',
    )
  })

  test('have notes below them as paragraphs', async () => {
    const note = 'Source: what the staff counted by hand in the year before.'
    expect(await textOf(data(['Name', 'Value'], ['a', 1], [note]))).toBe(
      `| Name | Value |\n| --- | --- |\n| a | 1 |\n\n${note}`,
    )
  })

  test('with two rows of header have one, in which groups name each of their columns', async () => {
    const sheet = `${data([null, 'North', null, 'South'], ['Year', 'Sales', 'Costs', 'Sales', 'Rest'], [2023, 1, 2, 3, 4])}<mergeCells><mergeCell ref="B1:C1"/></mergeCells>`
    expect(await textOf(sheet)).toBe(
      '| Year | North Sales | North Costs | South Sales | Rest |\n| --- | --- | --- | --- | --- |\n| 2023 | 1 | 2 | 3 | 4 |',
    )
  })

  test('repeat what is merged down in each row', async () => {
    const sheet = `${data(['Group', 'Name'], ['x', 'a'], [null, 'b'])}<mergeCells><mergeCell ref="A2:A3"/></mergeCells>`
    expect(await textOf(sheet)).toBe('| Group | Name |\n| --- | --- |\n| x | a |\n| x | b |')
  })

  test('of one column are tables when they are longer than a few lines', async () => {
    expect(await textOf(data(['a'], ['b']))).toBe('a\n\nb')
    expect(await textOf(data(['Name'], ['a'], ['b'], ['c'], ['d']))).toBe(
      '| Name |\n| --- |\n| a |\n| b |\n| c |\n| d |',
    )
  })

  test('of cells without references are read in their order', async () => {
    expect(
      await textOf('<sheetData><row><c><v>1</v></c><c><v>2</v></c></row><row><c/><c><v>3</v></c></row></sheetData>'),
    ).toBe('| 1 | 2 |\n| --- | --- |\n|  | 3 |')
  })

  test('of more than 500 columns are cut, and a warning says so', async () => {
    const row = `<row>${'<c><v>1</v></c>'.repeat(501)}</row>`
    const { tables, warnings, text } = await readBytes(xlsxReader, xlsx({ S: `<sheetData>${row}</sheetData>` }))
    expect(tables).toHaveLength(1)
    expect(text.split('\n').at(-1)?.match(/---/g)).toHaveLength(500)
    expect(warnings).toEqual(['Of a table with 501 columns only the first 500 were read.'])
  })
})

describe('sheets', () => {
  test('are pages with their names, in the order of the workbook; empty ones count but leave nothing', async () => {
    const { text, pages } = await readBytes(
      xlsxReader,
      xlsx({ 'A &amp; B': data(['x']), Empty: '<sheetData/>', C: data(['y']) }),
    )
    expect(text).toBe('# A & B\n\nx\n\n# C\n\ny')
    expect(pages.map(({ number, label }) => `${number} ${label}`)).toEqual(['1 A & B', '3 C'])
  })

  test('that are hidden are read, and say so', async () => {
    const bytes = officePackage({
      main: 'xl/workbook.xml',
      parts: {
        'xl/workbook.xml':
          '<x:workbook><x:sheets><x:sheet name="H" state="hidden" r:id="rId1"/></x:sheets></x:workbook>',
        'xl/s.xml': `<x:worksheet>${data(['x'])}</x:worksheet>`,
      },
      relations: { 'xl/workbook.xml': ['worksheet s.xml'] },
    })
    const { text } = await readBytes(xlsxReader, bytes)
    expect(text).toBe('# H\n\n(This sheet is hidden in the workbook.)\n\nx')
  })

  test('that the file does not hold are damage', async () => {
    const bytes = officePackage({
      main: 'xl/workbook.xml',
      parts: { 'xl/workbook.xml': '<workbook><sheets><sheet name="H" r:id="rId1"/></sheets></workbook>' },
    })
    expect(await failureOfReading(xlsxReader, bytes)).toBe('damaged')
  })
})

const corpus = join(import.meta.dir, '../../../../shared/corpus/office')

describe.skipIf(!existsSync(corpus))('real workbooks', () => {
  test('a financial report keeps its headers and numbers', async () => {
    const { text, pages, tables } = await readBytes(xlsxReader, readFileSync(join(corpus, '2023-half-year.xlsx')))
    expect(pages).toHaveLength(5)
    expect(tables).toHaveLength(7)
    expect(text).toContain('| Zone NA | 12553 | 2713 | 2632 | -81 | -29 | -44 | -337 |')
  })
})
