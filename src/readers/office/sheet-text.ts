/**
 * A sheet as text: what its cells hold becomes tables, each with the header that a person sees above
 * it. Empty rows and columns are left out; a title above a table becomes a paragraph.
 */

import type { TextBuilder } from '../text-builder.ts'
import { type Block, inlineText, writeBlocks } from './blocks.ts'

export interface SheetCell {
  /** From 0. */
  readonly column: number
  readonly text: string
  /** A number or a date; a year is neither, since tables have years as headers. */
  readonly isNumber: boolean
  /** How many columns it is merged over; 1 when it is not. */
  readonly columns: number
}

export interface SheetRow {
  /** From 0. */
  readonly row: number
  /** Those that are not empty, in any order. */
  readonly cells: readonly SheetCell[]
}

/** Limit on the cells of all sheets of a file together. */
export const sheetCellsMax = 2_000_000
/** Columns with text of one table; more would make each row longer than a page. */
const columnsMax = 500

/** Least rows of a table with a single column: fewer rows are lines of text, more are a list with a header. */
const columnRowsMin = 5
/** Limit on the cells of one table, empty ones included. */
const spreadCellsMax = 4_000_000

export interface SheetContent {
  readonly name: string
  readonly isHidden: boolean
  /** Ascending. */
  readonly rows: readonly SheetRow[]
  /** Comments, charts and what else is not in a cell; without page breaks. */
  readonly around: readonly Block[]
}

/** Writes a sheet as tables and paragraphs below its name, then what surrounds them; of an empty sheet nothing. */
export function writeSheet(builder: TextBuilder, { name, isHidden, rows, around }: SheetContent): void {
  const filled = rows.filter(({ cells }) => cells.length > 0)
  if (filled.length === 0 && around.every((block) => inlineText(block).trim() === '')) return
  builder.heading(1, name)
  if (isHidden) builder.paragraph('(This sheet is hidden in the workbook.)')
  if (filled.length > 0) for (const table of tablesIn(filled)) writeTable(builder, table)
  writeBlocks(builder, around)
}

/**
 * A table ends where a row that looks like a header follows an empty row: an empty row alone is as often only a space
 * within a table, and what follows would lose its header.
 */
function tablesIn(rows: readonly SheetRow[]): SheetRow[][] {
  const tables: SheetRow[][] = []
  let current: SheetRow[] = []
  for (const run of runsOf(rows)) {
    const header = run.find(({ cells }) => cells.length > 1)
    if (current.length > 0 && (header === undefined ? run.every(isNote) : isHeader(header))) {
      tables.push(current)
      current = []
    }
    for (const row of run) current.push(row)
  }
  tables.push(current)
  return tables
}

/** Rows without an empty row between them. */
function runsOf(rows: readonly SheetRow[]): SheetRow[][] {
  const runs: SheetRow[][] = []
  let previous: number | null = null
  for (const row of rows) {
    const run = runs.at(-1)
    if (run === undefined || previous === null || row.row > previous + 1) runs.push([row])
    else run.push(row)
    previous = row.row
  }
  return runs
}

function writeTable(builder: TextBuilder, rows: readonly SheetRow[]): void {
  const isColumn = rows.length >= columnRowsMin && rows.every(({ cells }) => cells.length === 1)
  const first = isColumn ? 0 : rows.findIndex(({ cells }) => cells.length > 1)
  const titles = first === -1 ? rows : rows.slice(0, first)
  for (const title of titles) builder.paragraph(textOfRow(title))
  const last = rows.findLastIndex((row) => !isNote(row))
  const body = first === -1 ? [] : withOneHeader(rows.slice(first, last + 1))
  const used = new Set<number>()
  for (const { cells } of body) for (const { column } of cells) used.add(column)
  const columns = [...used].toSorted((left, right) => left - right)
  if (columns.length > columnsMax) {
    builder.warn(`Of a table with ${columns.length} columns only the first ${columnsMax} were read.`)
  }
  const placeOf = new Map(columns.slice(0, columnsMax).map((column, index) => [column, index]))
  const rowsMax = Math.floor(spreadCellsMax / placeOf.size)
  if (body.length > rowsMax) builder.warn(`Of a table with ${body.length} rows only the first ${rowsMax} were read.`)
  builder.table(body.slice(0, rowsMax).map(({ cells }) => spread(cells, placeOf)))
  if (first !== -1) for (const note of rows.slice(Math.max(first, last + 1))) builder.paragraph(textOfRow(note))
}

/**
 * Two rows of header made into one: a row of few labels, each above one or more columns, and below it the names of the
 * columns. Only where numbers follow, since text below a header looks like another header.
 */
function withOneHeader(rows: readonly SheetRow[]): readonly SheetRow[] {
  const [groups, names, ...rest] = rows
  if (groups === undefined || names === undefined || rest.every(isHeader)) return rows
  if (!isHeader(groups) || !isHeader(names) || groups.cells.length * 2 > names.cells.length) return rows
  const texts = new Map(names.cells.map((cell) => [cell.column, cell.text]))
  for (const group of groups.cells) {
    for (let column = group.column; column < group.column + group.columns; column += 1) {
      const name = texts.get(column)
      // Merged over columns that have no name, it is the name of the first of them.
      if (name !== undefined || column === group.column)
        texts.set(column, name === undefined ? group.text : `${group.text} ${name}`)
    }
  }
  const cells = [...texts].map(([column, text]) => ({ column, text, isNumber: false, columns: 1 }))
  return [{ row: names.row, cells }, ...rest]
}

function spread(cells: readonly SheetCell[], placeOf: ReadonlyMap<number, number>): string[] {
  const texts: string[] = []
  for (const { column, text } of cells) {
    const place = placeOf.get(column)
    if (place === undefined) continue
    while (texts.length < place) texts.push('')
    texts[place] = text
  }
  return texts
}

const textOfRow = ({ cells }: SheetRow): string => cells.map(({ text }) => text).join(' ')

const isHeader = ({ cells }: SheetRow): boolean => cells.every(({ isNumber }) => !isNumber)

/** A sentence by itself, such as the source of a table below it. */
const isNote = (row: SheetRow): boolean => row.cells.length === 1 && textOfRow(row).length > 40
