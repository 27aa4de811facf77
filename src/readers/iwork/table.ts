/** Tables of iWork documents since 2013: cells in tiles of rows, texts in lists that the cells name by key. */
import { bytesIn, fieldsOf, numberIn, textIn, type Fields } from './protobuf.ts'
import type { IworkDocument, IworkObject } from './iwa.ts'

export interface IworkTable {
  readonly name: string
  readonly rows: readonly (readonly string[])[]
}

const cellsMax = 2_000_000
const columnsMax = 1000
const rowsOfTile = 256
const headBytes = 12
const storageVersion = 5
/** Seconds from 1970 to 2001, when the calendar of these programs begins. */
const epochSeconds = 978_307_200

/** The cells of a table model (TST.TableModelArchive) as they are stored; formats of numbers are not applied. */
export function readTable(document: IworkDocument, { fields }: IworkObject): IworkTable {
  const [store] = bytesIn(fields, 4)
  const name = textIn(fields, 8)
  if (store === undefined) return { name, rows: [] }
  const data = fieldsOf(store)
  const texts = { plain: listOf(document, data, 4), rich: listOf(document, data, 17) }
  const rows = new Map<number, string[]>()
  let left = cellsMax
  for (const { first, row } of rowsIn(document, data)) {
    const cells = left > 0 ? cellsOf(document, row, texts) : []
    left -= cells.length
    if (cells.some((text) => text !== '')) rows.set(first + (numberIn(row, 1) ?? 0), cells)
  }
  const inOrder = [...rows].toSorted(([one], [other]) => one - other)
  return { name, rows: inOrder.map(([, cells]) => cells) }
}

/** The rows of all tiles, each with the number of its tile's first row. */
function rowsIn(document: IworkDocument, data: Fields): { readonly first: number; readonly row: Fields }[] {
  return bytesIn(data, 3)
    .map(fieldsOf)
    .flatMap((storage) => {
      const size = numberIn(storage, 2) ?? rowsOfTile
      return bytesIn(storage, 1)
        .map(fieldsOf)
        .flatMap((entry) => {
          const first = (numberIn(entry, 1) ?? 0) * size
          const tiles = document.referred(entry, 2)
          return tiles.flatMap((tile) => bytesIn(tile.fields, 5).map((row) => ({ first, row: fieldsOf(row) })))
        })
    })
}

interface Texts {
  readonly plain: ReadonlyMap<number, Fields>
  readonly rich: ReadonlyMap<number, Fields>
}

/** The entries of a list by key (TST.TableDataList). */
function listOf(document: IworkDocument, data: Fields, field: number): ReadonlyMap<number, Fields> {
  const entries = document.referred(data, field).flatMap((list) => bytesIn(list.fields, 3).map(fieldsOf))
  return new Map(entries.map((entry) => [numberIn(entry, 1) ?? -1, entry]))
}

function cellsOf(document: IworkDocument, row: Fields, texts: Texts): string[] {
  const [records] = bytesIn(row, 6)
  const [offsets] = bytesIn(row, 7)
  if (records === undefined || offsets === undefined) return []
  const unit = numberIn(row, 8) === 1 ? 4 : 1
  const cells: string[] = []
  for (let at = 0; at + 2 <= offsets.length && cells.length < columnsMax; at += 2) {
    const offset = offsets.readInt16LE(at)
    cells.push(offset < 0 ? '' : cellText(document, records.subarray(offset * unit), texts))
  }
  return cells.slice(0, cells.findLastIndex((text) => text !== '') + 1)
}

/** Fields of a cell in the order of their bits, and their sizes; those behind them are not needed. */
const cellFields = [
  ['decimal', 1, 16],
  ['double', 2, 8],
  ['seconds', 4, 8],
  ['text', 8, 4],
  ['rich', 16, 4],
] as const
const [date, bool, duration] = [5, 6, 7]

type CellFields = Partial<Record<(typeof cellFields)[number][0], Buffer>>

function fieldsOfCell(record: Buffer): CellFields {
  const flags = record.readUInt32LE(8)
  const fields: CellFields = {}
  let at = headBytes
  for (const [name, bit, bytes] of cellFields) {
    if ((flags & bit) === 0 || at + bytes > record.length) continue
    fields[name] = record.subarray(at, at + bytes)
    at += bytes
  }
  return fields
}

function cellText(document: IworkDocument, record: Buffer, { plain, rich }: Texts): string {
  if (record.length < headBytes || record[0] !== storageVersion) return ''
  const { text, rich: richKey, ...numbers } = fieldsOfCell(record)
  if (text !== undefined) return textIn(plain.get(text.readInt32LE()) ?? none, 3)
  if (richKey !== undefined) return richText(document, rich.get(richKey.readInt32LE()) ?? none)
  return numberText(record[1] ?? 0, numbers)
}

function numberText(kind: number, { decimal, double, seconds }: CellFields): string {
  if (kind === date && seconds !== undefined) return dateText(seconds.readDoubleLE())
  if (decimal !== undefined) return decimalText(decimal)
  if (double === undefined) return ''
  const value = double.readDoubleLE()
  if (kind === bool) return value > 0 ? 'TRUE' : 'FALSE'
  return kind === duration ? `${value} s` : String(value)
}

const none: Fields = new Map()

/** A payload refers to the text that it holds. */
function richText(document: IworkDocument, entry: Fields): string {
  return document
    .referred(entry, 9)
    .flatMap((payload) => document.referred(payload.fields, 1))
    .map((storage) => textIn(storage.fields, 3))
    .join('\n')
}

function dateText(seconds: number): string {
  const at = new Date((seconds + epochSeconds) * 1000)
  if (Number.isNaN(at.getTime())) return ''
  return at
    .toISOString()
    .replace('T00:00:00.000Z', '')
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')
}

const exponentBias = 0x1820
const digitsMax = 15

/** IEEE 754 decimal128 with a binary significand, as a person writes it. */
function decimalText(bytes: Buffer): string {
  const high = bytes[15] ?? 0
  const exponent = (((high & 0x7f) << 7) | ((bytes[14] ?? 0) >> 1)) - exponentBias
  let digits = BigInt((bytes[14] ?? 0) & 1)
  for (let at = 13; at >= 0; at -= 1) digits = digits * 256n + BigInt(bytes[at] ?? 0)
  const value = Number(`${(high & 0x80) !== 0 ? '-' : ''}${digits}e${exponent}`)
  return Number.isFinite(value) ? String(Number(value.toPrecision(digitsMax))) : ''
}
