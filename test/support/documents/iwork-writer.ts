/** Small documents of iWork for tests: objects with types and fields, in parts that Snappy would understand. */
import { zip } from './zip-writer.ts'

export type Field = readonly [number: number, value: number | string | Buffer]

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) + 128)
  }
}

/** A message of these fields: numbers as varints, everything else with its length. */
export function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)])
      const bytes = Buffer.from(value)
      return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
    }),
  )
}

/** A field that refers to an object. */
export const reference = (number: number, id: number): Field => [number, message([1, id])]

export interface WrittenObject {
  readonly id: number
  readonly type: number
  readonly fields: readonly Field[]
}

/** What Snappy makes of bytes that have nothing in common: literals of at most 60 bytes. */
export function snap(bytes: Buffer): Buffer {
  const parts = [varint(bytes.length)]
  for (let at = 0; at < bytes.length; at += 60) {
    const literal = bytes.subarray(at, at + 60)
    parts.push(Buffer.from([(literal.length - 1) << 2]), literal)
  }
  return Buffer.concat(parts)
}

function part(objects: readonly WrittenObject[]): Buffer {
  const archives = objects.map(({ id, type, fields }) => {
    const content = message(...fields)
    const head = message([1, id], [2, message([1, type], [3, content.length])])
    return Buffer.concat([varint(head.length), head, content])
  })
  const packed = snap(Buffer.concat(archives))
  const start = Buffer.alloc(4)
  start.writeUIntLE(packed.length, 1, 3)
  return Buffer.concat([start, packed])
}

/** A document: parts by name below `Index`, and other entries by name. */
export function iworkFile(
  parts: Readonly<Record<string, readonly WrittenObject[]>>,
  others: Readonly<Record<string, string | Uint8Array>> = {},
): Uint8Array {
  return zip([
    ...Object.entries(parts).map(([name, objects]) => ({ name: `Index/${name}.iwa`, content: part(objects) })),
    { name: 'Metadata/Properties.plist', content: 'x' },
    ...Object.entries(others).map(([name, content]) => ({ name, content })),
  ])
}

/** The record of a cell: its kind, and the fields that its flags announce. */
export function cell(kind: number, flags: number, ...fields: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12)
  head[0] = 5
  head[1] = kind
  head.writeUInt32LE(flags, 8)
  return Buffer.concat([head, ...fields])
}

/** A whole number as decimal128, times ten to `exponent`. */
export function decimal(value: number, exponent = 0): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntLE(Math.abs(value), 0, 6)
  const biased = exponent + 0x1820
  bytes[14] = (biased & 0x7f) << 1
  bytes[15] = (biased >> 7) | (value < 0 ? 0x80 : 0)
  return bytes
}

/** A row of a tile: offsets of the cells, -1 where there is none, and the cells. */
export function tableRow(index: number, cells: readonly (Buffer | null)[]): Buffer {
  const offsets = Buffer.alloc(2 * cells.length)
  let at = 0
  for (const [column, each] of cells.entries()) {
    offsets.writeInt16LE(each === null ? -1 : at / 4, 2 * column)
    at += each?.length ?? 0
  }
  const records = Buffer.concat(cells.filter((each): each is Buffer => each !== null))
  return message([1, index], [5, 5], [6, records], [7, offsets], [8, 1])
}
