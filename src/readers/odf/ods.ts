/** OpenDocument spreadsheets: a page for each sheet, with what its cells show and what surrounds them; dates as ISO 8601. */

import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { attributeOf, childrenOf, eachElement, integerOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { openDocument } from './odf-package.ts'
import { PageEdges } from '../marked-text.ts'
import type { Block } from '../office/blocks.ts'
import { annotationText, masterPageEdges } from './odf-around.ts'
import { odfParagraphText, readOdfBlocks, readOdfElement, type OdfContext } from './odf-text.ts'
import { sheetCellsMax, writeSheet } from '../office/sheet-text.ts'
import type { SheetCell, SheetRow } from '../office/sheet-text.ts'

interface Sheet {
  readonly table: XmlElement
  readonly rows: SheetRow[]
  /** Comments and what is drawn on it. */
  readonly around: Block[]
  /** Number of the next row. */
  next: number
}

const rowElements = new Set(['table-row', 'shapes'])
/** Limit on equal rows in a run; sheets repeat their last one to the end. */
const repeatedRowsMax = 1_000
const repeatedColumnsMax = 100

export const odsReader: Reader = { name: 'ods', read: async (request) => readOds(request) }

function readOds({ bytes, mediaType, limits }: ReadRequest): Reading {
  const { content, title, stated, styles, object, masterPages } = openDocument(
    bytes,
    limits.unpackedBytesMax,
    'spreadsheet',
  )
  const context: OdfContext = { styles, paged: false, object }
  const builder = new TextBuilder(limits)
  let sheet: Sheet | null = null
  let cellsLeft = sheetCellsMax
  eachElement(content, rowElements, (row, ancestors) => {
    const table = ancestors.findLast(({ name }) => name === 'table')
    if (table === undefined) return
    if (sheet?.table !== table) {
      if (sheet !== null) finish(builder, sheet, context)
      sheet = { table, rows: [], around: [], next: 0 }
    }
    if (row.name === 'shapes') sheet.around.push(...readOdfBlocks(row, context))
    else {
      for (const [column, cell] of placedCells(row)) addAround(sheet, { cell, column }, context)
      cellsLeft -= addRow(sheet, row, cellsLeft)
    }
  })
  if (sheet !== null) finish(builder, sheet, context)
  for (const text of masterPageEdges(masterPages, new PageEdges())) builder.paragraph(text)
  if (cellsLeft <= 0) builder.warn(`Only the first ${sheetCellsMax} cells of the spreadsheet were read.`)
  return builder.reading({ mediaType, title, stated })
}

function finish(builder: TextBuilder, { table, rows, around }: Sheet, { styles }: OdfContext): void {
  const name = attributeOf(table, 'name') ?? ''
  // What was last seen of another file that formulas refer to.
  if (name.startsWith("'file:")) return
  builder.page(name)
  const isHidden = styles.hiddenSheets.has(attributeOf(table, 'style-name') ?? '')
  writeSheet(builder, { name, isHidden, rows, around })
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
  for (const [column, cell] of placedCells(row)) {
    const text = cellText(cell)
    if (text === '') continue
    const type = attributeOf(cell, 'value-type')
    const isNumber = type !== null && type !== 'string' && type !== 'boolean' && !/^(?:19|20)\d\d$/.test(text)
    const copies = Math.min(integerOf(cell, 'number-columns-repeated', 1), repeatedColumnsMax)
    for (let copy = 0; copy < copies && cells.length < cellsMax; copy += 1) {
      cells.push({ column: column + copy, text, isNumber, columns: spanOf(cell) })
    }
  }
  return cells
}

/** The cells of a row with their columns, from 0. */
function placedCells(row: XmlElement): (readonly [number, XmlElement])[] {
  let next = 0
  return childrenOf(row).flatMap((cell): (readonly [number, XmlElement])[] => {
    if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') return []
    const column = next
    next += integerOf(cell, 'number-columns-repeated', 1)
    return [[column, cell]]
  })
}

/** What is anchored in a cell and not part of what it shows. */
function addAround(
  sheet: Sheet,
  { cell, column }: { readonly cell: XmlElement; readonly column: number },
  context: OdfContext,
): void {
  for (const child of childrenOf(cell)) {
    if (child.name === 'annotation') {
      const on = `${columnName(column)}${sheet.next + 1}`
      sheet.around.push({ kind: 'paragraph', text: annotationText(child, on) })
    } else if (child.name !== 'p') sheet.around.push(...readOdfElement(child, context))
  }
}

/** A, B, …, Z, AA. */
function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : `${columnName(Math.floor(column / 26) - 1)}${letter}`
}

const spanOf = (cell: XmlElement): number => Math.min(integerOf(cell, 'number-columns-spanned', 1), repeatedColumnsMax)

function cellText(cell: XmlElement): string {
  const date = attributeOf(cell, 'date-value')
  if (date !== null) return date.replace('T00:00:00', '').replace('T', ' ')
  const shown = childrenOf(cell, 'p').map(odfParagraphText).join('\n').trim()
  return shown === '' ? (attributeOf(cell, 'value') ?? attributeOf(cell, 'string-value') ?? '') : shown
}
