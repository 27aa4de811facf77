/**
 * Workbooks of Excel 5 to 2003: a page for each sheet with the values that were last shown, like newer workbooks.
 * Formulas are not computed; charts, pictures and comments are left out. (MS-XLS 2024.)
 */
import { type CellFormat, formatNumber, formatOf } from '../office/cell-format.ts'
import { sheetCellsMax, type SheetCell, type SheetRow, writeSheet } from '../office/sheet-text.ts'
import { type Reader, ReadFailure, type ReadRequest, type Reading } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { BiffCursor, recordsOf } from './biff.ts'
import { damagedCompound, openCompound, withinFile } from '../compound.ts'

interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  readonly offset: number
}

interface Workbook {
  readonly sheets: Sheet[]
  readonly strings: string[]
  readonly formats: Map<number, string>
  /** The number of its format for each look of cells. */
  readonly looks: number[]
  date1904: boolean
  /** Excel 97 and newer; texts of older ones are bytes. */
  isUnicode: boolean
  cellsLeft: number
}

const type = {
  formula: 0x06,
  end: 0x0a,
  dates1904: 0x22,
  password: 0x2f,
  sheet: 0x85,
  manyNumbers: 0xbd,
  richText: 0xd6,
  look: 0xe0,
  strings: 0xfc,
  sharedText: 0xfd,
  number: 0x203,
  text: 0x204,
  trueOrError: 0x205,
  formulaText: 0x207,
  packedNumber: 0x27e,
  format: 0x41e,
  begin: 0x809,
}
const unicodeVersion = 0x600
const worksheet = 0
const errors = new Map([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
])
const general: CellFormat = { kind: 'general' }
const windows = new TextDecoder('windows-1252')

/** Reads .xls. */
export const xlsReader: Reader = { name: 'xls', read: (request) => withinFile(() => readXls(request)) }

function readXls({ bytes, mediaType, limits }: ReadRequest): Reading {
  const file = openCompound(bytes, limits.unpackedBytesMax)
  const stream = file.read('Workbook') ?? file.read('Book')
  if (stream === null) throw damagedCompound()
  const workbook = readWorkbook(stream)
  const builder = new TextBuilder(limits)
  for (const { name, isHidden, offset } of workbook.sheets) {
    builder.page(name)
    writeSheet(builder, { name, isHidden, rows: readSheet(stream.subarray(offset), workbook), around: [] })
  }
  if (workbook.cellsLeft < 0) builder.warn(`Only the first ${sheetCellsMax} cells of the workbook were read.`)
  return builder.reading({ mediaType, title: null })
}

function readWorkbook(stream: Buffer): Workbook {
  const workbook: Workbook = {
    sheets: [],
    strings: [],
    formats: new Map(),
    looks: [],
    date1904: false,
    isUnicode: true,
    cellsLeft: sheetCellsMax,
  }
  for (const record of recordsOf(stream)) {
    if (record.type === type.end) break
    const [data = Buffer.alloc(0)] = record.parts
    if (record.type === type.password) {
      throw new ReadFailure(
        'encrypted',
        'The file is protected by a password. Save it without one and import it again.',
      )
    }
    if (record.type === type.strings) readStrings(record.parts, workbook.strings)
    else if (data.length >= 2) readGlobal(record.type, data, workbook)
  }
  if (workbook.sheets.length === 0) throw damagedCompound()
  return workbook
}

function readGlobal(kind: number, data: Buffer, workbook: Workbook): void {
  if (kind === type.begin) workbook.isUnicode = data.readUInt16LE(0) >= unicodeVersion
  else if (kind === type.dates1904) workbook.date1904 = data.readUInt16LE(0) === 1
  else if (kind === type.look && data.length >= 4) workbook.looks.push(data.readUInt16LE(2))
  else if (kind === type.format && data.length >= 3) {
    workbook.formats.set(data.readUInt16LE(0), textAt(data, 2, workbook.isUnicode ? 2 : 1, workbook))
  } else if (kind === type.sheet && data.length >= 7 && (data[5] ?? 0) === worksheet) {
    const name = textAt(data, 6, 1, workbook)
    workbook.sheets.push({ name, isHidden: ((data[4] ?? 0) & 3) !== 0, offset: data.readUInt32LE(0) })
  }
}

function readStrings(parts: readonly Buffer[], strings: string[]): void {
  const cursor = new BiffCursor(parts, 8)
  const count = (parts[0]?.length ?? 0) < 8 ? 0 : (parts[0]?.readUInt32LE(4) ?? 0)
  while (strings.length < count && !cursor.isAtEnd) strings.push(cursor.text(cursor.short()))
}

/** A text with its length before it, in one or two bytes. */
function textAt(data: Buffer, at: number, lengthBytes: 1 | 2, { isUnicode }: Workbook): string {
  if (at + lengthBytes > data.length) return ''
  const length = lengthBytes === 1 ? data.readUInt8(at) : data.readUInt16LE(at)
  const start = at + lengthBytes
  return isUnicode ? new BiffCursor([data], start).text(length) : windows.decode(data.subarray(start, start + length))
}

function readSheet(stream: Buffer, workbook: Workbook): SheetRow[] {
  const rows = new Map<number, SheetCell[]>()
  let depth = 0
  /** Where the text of a formula belongs, which comes in a record of its own. */
  let waiting: Place | null = null
  const add = (place: Place, text: string, isNumber: boolean): void => {
    if (text.trim() === '' || (workbook.cellsLeft -= 1) < 0) return
    const cells = rows.get(place.row) ?? []
    cells.push({ column: place.column, text, isNumber, columns: 1 })
    rows.set(place.row, cells)
  }
  for (const { type: kind, parts } of recordsOf(stream)) {
    const [data = Buffer.alloc(0)] = parts
    if (kind === type.begin) depth += 1
    else if (kind === type.end && (depth -= 1) <= 0) break
    // Charts within the sheet have records of their own.
    if (depth > 1) continue
    if (kind === type.formulaText && waiting !== null) {
      add(
        waiting,
        workbook.isUnicode
          ? new BiffCursor(parts, 2).text(data.length < 2 ? 0 : data.readUInt16LE(0))
          : textAt(data, 0, 2, workbook),
        false,
      )
      waiting = null
    } else if (data.length >= 6) {
      const place = { row: data.readUInt16LE(0), column: data.readUInt16LE(2), look: data.readUInt16LE(4) }
      if (kind === type.formula && isText(data)) waiting = place
      else readCell(kind, data, { place, workbook, add })
    }
  }
  return [...rows].map(([row, cells]) => ({ row, cells })).sort((one, other) => one.row - other.row)
}

interface Place {
  readonly row: number
  readonly column: number
  readonly look: number
}

interface Cell {
  readonly place: Place
  readonly workbook: Workbook
  readonly add: (place: Place, text: string, isNumber: boolean) => void
}

/** MS-XLS 2.5.133: the result of a formula is a number unless its last two bytes are set. */
const isText = (data: Buffer): boolean => data.length >= 14 && data.readUInt16LE(12) === 0xffff && data[6] === 0

function readCell(kind: number, data: Buffer, cell: Cell): void {
  const known = cellReaders.get(kind)
  if (known !== undefined && data.length >= known.bytesMin) known.read(data, cell)
}

/** What each kind of cell holds, and the bytes that it takes at least. */
const cellReaders = new Map<number, { readonly bytesMin: number; readonly read: (data: Buffer, cell: Cell) => void }>([
  [type.number, { bytesMin: 14, read: (data, cell) => addNumber(data.readDoubleLE(6), cell) }],
  [type.packedNumber, { bytesMin: 10, read: (data, cell) => addNumber(unpacked(data.readInt32LE(6)), cell) }],
  [type.manyNumbers, { bytesMin: 12, read: addNumbers }],
  [
    type.sharedText,
    {
      bytesMin: 10,
      read: (data, { add, place, workbook }) => add(place, workbook.strings[data.readUInt32LE(6)] ?? '', false),
    },
  ],
  [type.text, { bytesMin: 8, read: addText }],
  [type.richText, { bytesMin: 8, read: addText }],
  [type.trueOrError, { bytesMin: 8, read: (data, { add, place }) => add(place, trueOrError(data, 6), false) }],
  [type.formula, { bytesMin: 14, read: addResult }],
])

function addText(data: Buffer, { add, place, workbook }: Cell): void {
  add(place, textAt(data, 6, 2, workbook), false)
}

function addNumber(value: number, { add, place, workbook }: Cell): void {
  const format = workbook.looks[place.look]
  const known = format === undefined ? general : formatOf(format, workbook.formats.get(format))
  const isYear = Number.isInteger(value) && value >= 1900 && value <= 2100
  add(place, formatNumber(value, known, workbook.date1904), !isYear)
}

function addNumbers(data: Buffer, cell: Cell): void {
  for (let at = 4, column = cell.place.column; at + 6 <= data.length - 2; at += 6, column += 1) {
    const place = { ...cell.place, column, look: data.readUInt16LE(at) }
    addNumber(unpacked(data.readInt32LE(at + 2)), { ...cell, place })
  }
}

function addResult(data: Buffer, cell: Cell): void {
  if (data.readUInt16LE(12) !== 0xffff) addNumber(data.readDoubleLE(6), cell)
  else if (data[6] === 1 || data[6] === 2) {
    cell.add(cell.place, trueOrError(Buffer.from([data[8] ?? 0, data[6] - 1]), 0), false)
  }
}

function trueOrError(data: Buffer, at: number): string {
  const value = data[at] ?? 0
  if (data[at + 1] === 0) return value === 0 ? 'FALSE' : 'TRUE'
  return errors.get(value) ?? '#N/A'
}

/** MS-XLS 2.5.217: thirty bits of a whole number or of a floating one, perhaps times a hundred. */
function unpacked(packed: number): number {
  const bits = Buffer.alloc(8)
  bits.writeInt32LE(packed & ~3, 4)
  const value = (packed & 2) === 0 ? bits.readDoubleLE(0) : packed >> 2
  return (packed & 1) === 0 ? value : value / 100
}
