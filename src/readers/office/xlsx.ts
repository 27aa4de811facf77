/**
 * Excel workbooks: a page for each sheet, named after it, with the values that were last shown, and what surrounds
 * them (xlsx-around.ts). Formulas are not computed; pictures are left out.
 * (ECMA-376, part 1, 18 SpreadsheetML.)
 */

import { ReadFailure } from '../reading.ts'
import type { Reader, Reading, ReadRequest } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { attributeOf, childOf, childrenOf, eachElement, parseXml, prefixedAttributeOf, textOf } from '../xml.ts'
import type { XmlElement } from '../xml.ts'
import { formatNumber } from './cell-format.ts'
import type { CellFormat } from './cell-format.ts'
import { openPackage, relatedPart } from './package.ts'
import type { OfficePackage } from './package.ts'
import { PageEdges } from '../marked-text.ts'
import { personsIn, readAround } from './xlsx-around.ts'
import { sheetCellsMax, writeSheet } from './sheet-text.ts'
import type { SheetCell, SheetRow } from './sheet-text.ts'
import { readCellFormats, readSharedStrings, richText } from './xlsx-parts.ts'

interface Workbook {
  readonly strings: readonly string[]
  readonly formats: readonly CellFormat[]
  readonly date1904: boolean
  cellsLeft: number
  /** Formulas whose result the file does not hold. */
  unknownResults: number
}

type CellValue = Pick<SheetCell, 'text' | 'isNumber'>

interface MergedRange {
  readonly row: number
  readonly lastRow: number
  readonly column: number
  readonly columns: number
}

const sheetElements = new Set(['row', 'mergeCell'])
const repeatedCharactersMax = 100

export const xlsxReader: Reader = { name: 'xlsx', read: async (request) => readXlsx(request) }

function readXlsx({ bytes, mediaType, limits }: ReadRequest): Reading {
  const source = openPackage(bytes, limits.unpackedBytesMax)
  const xml = source.part(source.main)
  const root = xml === null ? null : parseXml(xml)
  if (root?.name !== 'workbook') throw new ReadFailure('damaged', 'The file is an archive, but not an Excel workbook.')
  const workbook = openWorkbook(source, root)
  const builder = new TextBuilder(limits)
  const relations = source.relationsOf(source.main)
  const persons = personsIn(source)
  const edges = new PageEdges()
  for (const sheet of childrenOf(childOf(root, 'sheets'), 'sheet')) {
    const relation = relations.get(prefixedAttributeOf(sheet, 'id') ?? '')
    if (relation?.type === 'dialogsheet') continue
    const sheetXml = relation === undefined ? null : source.part(relation.target)
    if (relation === undefined || sheetXml === null)
      throw new ReadFailure('damaged', 'The workbook names a sheet that is not in the file.')
    const name = attributeOf(sheet, 'name') ?? ''
    builder.page(name)
    writeSheet(builder, {
      name,
      isHidden: !isShown(sheet),
      rows: relation.type === 'chartsheet' ? [] : readRows(sheetXml, workbook),
      around: readAround({ source, part: relation.target, xml: sheetXml }, persons, edges),
    })
  }
  warnOfMissing(builder, workbook)
  return builder.reading({ mediaType, title: source.title, stated: source.stated })
}

const isShown = (sheet: XmlElement): boolean => (attributeOf(sheet, 'state') ?? 'visible') === 'visible'

function openWorkbook(source: OfficePackage, root: XmlElement): Workbook {
  const properties = childOf(root, 'workbookPr')
  const date1904 = properties === null ? null : attributeOf(properties, 'date1904')
  return {
    strings: readSharedStrings(relatedPart(source, source.main, 'sharedStrings')),
    formats: readCellFormats(relatedPart(source, source.main, 'styles')),
    date1904: date1904 === '1' || date1904 === 'true',
    cellsLeft: sheetCellsMax,
    unknownResults: 0,
  }
}

function warnOfMissing(builder: TextBuilder, workbook: Workbook): void {
  if (workbook.cellsLeft < 0) builder.warn(`Only the first ${sheetCellsMax} cells of the workbook were read.`)
  if (workbook.unknownResults > 0) {
    builder.warn(
      `${workbook.unknownResults} formulas have no stored result. Open the workbook in a spreadsheet program and save it.`,
    )
  }
}

function readRows(xml: string, workbook: Workbook): SheetRow[] {
  const rows: SheetRow[] = []
  const merged: MergedRange[] = []
  let next = 0
  eachElement(xml, sheetElements, (element) => {
    if (element.name === 'mergeCell') {
      const range = mergedRange(attributeOf(element, 'ref') ?? '')
      if (range !== null) merged.push(range)
      return
    }
    const row = Number.parseInt(attributeOf(element, 'r') ?? '', 10) - 1
    next = row >= next ? row : next
    if (workbook.cellsLeft >= 0) rows.push({ row: next, cells: readCells(element, workbook) })
    next += 1
  })
  return applyMerged(rows, merged)
}

function readCells(row: XmlElement, workbook: Workbook): SheetCell[] {
  const cells: SheetCell[] = []
  let next = 0
  for (const cell of childrenOf(row, 'c')) {
    const place = columnOf(attributeOf(cell, 'r') ?? '')
    const column = place === -1 ? next : place
    next = column + 1
    const read = readCell(cell, workbook)
    if (read.text.trim() === '') continue
    workbook.cellsLeft -= 1
    if (workbook.cellsLeft < 0) break
    cells.push({ column, ...read, columns: 1 })
  }
  return cells
}

function readCell(cell: XmlElement, workbook: Workbook): CellValue {
  const type = attributeOf(cell, 't') ?? 'n'
  const value = childOf(cell, 'v')
  if (value === null) {
    const inline = childOf(cell, 'is')
    if (inline === null && childOf(cell, 'f') !== null) workbook.unknownResults += 1
    return { text: inline === null ? '' : richText(inline), isNumber: false }
  }
  const raw = textOf(value)
  if (type === 's') return { text: workbook.strings[Number(raw)] ?? '', isNumber: false }
  if (type === 'b') return { text: raw.trim() === '1' ? 'TRUE' : 'FALSE', isNumber: false }
  if (type !== 'n' || raw.trim() === '') return { text: raw, isNumber: type === 'd' }
  return readNumber(Number(raw), attributeOf(cell, 's'), workbook)
}

function readNumber(value: number, style: string | null, { formats, date1904 }: Workbook): CellValue {
  const isYear = Number.isInteger(value) && value >= 1900 && value <= 2100
  const format = formats[Number(style ?? 0)] ?? { kind: 'general' }
  return { text: formatNumber(value, format, date1904), isNumber: !isYear }
}

/** A short text that is merged down over rows belongs to each of them; one that is merged over columns knows so. */
function applyMerged(rows: readonly SheetRow[], merged: readonly MergedRange[]): SheetRow[] {
  const added = new Map<number, SheetCell[]>()
  const byRow = new Map(rows.map((row) => [row.row, row]))
  const origins = new Map<number, ReadonlyMap<number, SheetCell>>()
  let left = sheetCellsMax
  const widths = new Map<SheetCell, number>()
  for (const { row, lastRow, column, columns: width } of merged) {
    const cells = origins.get(row) ?? new Map(byRow.get(row)?.cells.map((one) => [one.column, one]))
    origins.set(row, cells)
    const cell = cells.get(column)
    if (cell !== undefined) widths.set(cell, width)
    if (cell === undefined || cell.text.length > repeatedCharactersMax) continue
    for (let below = row + 1; below <= lastRow && left > 0; below += 1) {
      left -= 1
      // Only where something else stands: a merged cell by itself makes no row.
      if ((byRow.get(below)?.cells.length ?? 0) === 0) continue
      const repeated = added.get(below) ?? []
      repeated.push(cell)
      added.set(below, repeated)
    }
  }
  const widened = (cell: SheetCell): SheetCell => {
    const columns = widths.get(cell)
    return columns === undefined ? cell : { ...cell, columns }
  }
  return rows.map(({ row, cells }) => ({ row, cells: [...cells, ...(added.get(row) ?? [])].map(widened) }))
}

function mergedRange(reference: string): MergedRange | null {
  const parts = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference)
  if (parts === null) return null
  const column = columnOf(parts[1] ?? '')
  const columns = Math.max(1, columnOf(parts[3] ?? '') - column + 1)
  return { row: Number(parts[2]) - 1, lastRow: Number(parts[4]) - 1, column, columns }
}

/** `AB12` is in column 27, counted from 0; -1 when it names none. */
function columnOf(reference: string): number {
  let column = 0
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - 64
    if (letter < 1 || letter > 26 || at > 2) break
    column = column * 26 + letter
  }
  return column - 1
}
