/** OpenDocument spreadsheets: a page for each sheet, with what its cells show; dates as ISO 8601. */

import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { attributeOf, childrenOf, eachElement, integerOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { openDocument } from './odf-package.ts'
import { odfParagraphText } from './odf-text.ts'
import { sheetCellsMax, writeSheet } from '../office/sheet-text.ts'
import type { SheetCell, SheetRow } from '../office/sheet-text.ts'

interface Sheet {
  readonly table: XmlElement
  readonly rows: SheetRow[]
  /** Number of the next row. */
  next: number
}

const rowElements = new Set(['table-row'])
/** Limit on equal rows in a run; sheets repeat their last one to the end. */
const repeatedRowsMax = 1_000
const repeatedColumnsMax = 100

export const odsReader: Reader = { name: 'ods', read: async (request) => readOds(request) }

function readOds({ bytes, mediaType, limits }: ReadRequest): Reading {
  const { content, title, stated } = openDocument(bytes, limits.unpackedBytesMax, 'spreadsheet')
  const builder = new TextBuilder(limits)
  let sheet: Sheet | null = null
  let cellsLeft = sheetCellsMax
  eachElement(content, rowElements, (row, ancestors) => {
    const table = ancestors.findLast(({ name }) => name === 'table')
    if (table === undefined) return
    if (sheet?.table !== table) {
      if (sheet !== null) finish(builder, sheet)
      sheet = { table, rows: [], next: 0 }
    }
    cellsLeft -= addRow(sheet, row, cellsLeft)
  })
  if (sheet !== null) finish(builder, sheet)
  if (cellsLeft <= 0) builder.warn(`Only the first ${sheetCellsMax} cells of the spreadsheet were read.`)
  return builder.reading({ mediaType, title, stated })
}

function finish(builder: TextBuilder, { table, rows }: Sheet): void {
  const name = attributeOf(table, 'name') ?? ''
  // What was last seen of another file that formulas refer to.
  if (name.startsWith("'file:")) return
  builder.page(name)
  writeSheet(builder, name, rows)
}

/** Answers how many cells it took. */
function addRow(sheet: Sheet, row: XmlElement, cellsLeft: number): number {
  const repeated = integerOf(row, 'number-rows-repeated', 1)
  const cells = cellsLeft > 0 ? readCells(row, cellsLeft) : []
  const copies = cells.length === 0 ? 0 : Math.min(repeated, repeatedRowsMax, Math.ceil(cellsLeft / cells.length))
  for (let copy = 0; copy < copies; copy += 1) sheet.rows.push({ row: sheet.next + copy, cells })
  sheet.next += repeated
  return copies * cells.length
}

function readCells(row: XmlElement, cellsMax: number): SheetCell[] {
  const cells: SheetCell[] = []
  let column = 0
  for (const cell of childrenOf(row)) {
    if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue
    const repeated = integerOf(cell, 'number-columns-repeated', 1)
    const text = cellText(cell)
    if (text !== '') {
      const type = attributeOf(cell, 'value-type')
      const isNumber = type !== null && type !== 'string' && type !== 'boolean' && !/^(?:19|20)\d\d$/.test(text)
      for (let copy = 0; copy < Math.min(repeated, repeatedColumnsMax) && cells.length < cellsMax; copy += 1) {
        cells.push({ column: column + copy, text, isNumber, columns: spanOf(cell) })
      }
    }
    column += repeated
  }
  return cells
}

const spanOf = (cell: XmlElement): number => Math.min(integerOf(cell, 'number-columns-spanned', 1), repeatedColumnsMax)

function cellText(cell: XmlElement): string {
  const date = attributeOf(cell, 'date-value')
  if (date !== null) return date.replace('T00:00:00', '').replace('T', ' ')
  const shown = childrenOf(cell, 'p').map(odfParagraphText).join('\n').trim()
  return shown === '' ? (attributeOf(cell, 'value') ?? attributeOf(cell, 'string-value') ?? '') : shown
}
