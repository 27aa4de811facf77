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
  for (const tileStorage of bytesIn(data, 3).map(fieldsOf)) {
    const size = numberIn(tileStorage, 2) ?? rowsOfTile
    for (const entry of bytesIn(tileStorage, 1).map(fieldsOf)) {
      const first = (numberIn(entry, 1) ?? 0) * size
      for (const tile of document.referred(entry, 2)) {
        for (const row of bytesIn(tile.fields, 5).map(fieldsOf)) {
          const cells = left > 0 ? cellsOf(document, row, texts) : []
          left -= cells.length
          if (cells.some((text) => text !== '')) rows.set(first + (numberIn(row, 1) ?? 0), cells)
        }
      }
    }
  }
  const inOrder = [...rows].toSorted(([one], [other]) => one - other)
  return { name, rows: inOrder.map(([, cells]) => cells) }
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
const [decimalBit, doubleBit, secondsBit, textBit, richBit] = [1, 2, 4, 8, 16]
const [date, bool, duration] = [5, 6, 7]

function cellText(document: IworkDocument, record: Buffer, { plain, rich }: Texts): string {
  if (record.length < headBytes || record[0] !== storageVersion) return ''
  const kind = record[1] ?? 0
  const flags = record.readUInt32LE(8)
  let at = headBytes
  const next = (bit: number, bytes: number): Buffer | null => {
    if ((flags & bit) === 0 || at + bytes > record.length) return null
    at += bytes
    return record.subarray(at - bytes, at)
  }
  const decimal = next(decimalBit, 16)
  const double = next(doubleBit, 8)?.readDoubleLE() ?? null
  const seconds = next(secondsBit, 8)?.readDoubleLE() ?? null
  const textKey = next(textBit, 4)?.readInt32LE() ?? null
  const richKey = next(richBit, 4)?.readInt32LE() ?? null
  if (textKey !== null) return textIn(plain.get(textKey) ?? none, 3)
  if (richKey !== null) return richText(document, rich.get(richKey) ?? none)
  if (kind === date && seconds !== null) return dateText(seconds)
  if (kind === bool && double !== null) return double > 0 ? 'TRUE' : 'FALSE'
  if (kind === duration && double !== null) return `${double} s`
  if (decimal !== null) return decimalText(decimal)
  return double === null ? '' : String(double)
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
