/** Messages of Protocol Buffers without their schema: fields by number. (protobuf.dev, Encoding.) */
import { ReadFailure } from '../reading.ts'

/** Values in the order of the message: numbers of varints, and the bytes of everything else. */
export type Fields = ReadonlyMap<number, readonly (number | Buffer)[]>

/** The fields of a message. Throws ReadFailure `damaged`. */
export function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, (number | Buffer)[]>()
  const cursor = { bytes: message, at: 0 }
  while (cursor.at < message.length) {
    const key = readVarint(cursor)
    const number = Math.floor(key / 8)
    const value = readValue(cursor, key % 8)
    const values = fields.get(number)
    if (values === undefined) fields.set(number, [value])
    else values.push(value)
  }
  return fields
}

export interface Cursor {
  readonly bytes: Buffer
  at: number
}

/** A number of up to 64 bits; beyond 53 it is not exact. */
export function readVarint(cursor: Cursor): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = cursor.bytes[cursor.at]
    if (byte === undefined || factor > 2 ** 63) throw damaged()
    cursor.at += 1
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return value
  }
}

function readValue(cursor: Cursor, wireType: number): number | Buffer {
  if (wireType === 0) return readVarint(cursor)
  const length = wireType === 1 ? 8 : wireType === 5 ? 4 : wireType === 2 ? readVarint(cursor) : -1
  const start = cursor.at
  if (length < 0 || start + length > cursor.bytes.length) throw damaged()
  cursor.at += length
  return cursor.bytes.subarray(start, cursor.at)
}

/** The first number of a field; null without one. */
export function numberIn(fields: Fields, field: number): number | null {
  const [value] = fields.get(field) ?? []
  return typeof value === 'number' ? value : null
}

/** The bytes of all values of a field. */
export function bytesIn(fields: Fields, field: number): readonly Buffer[] {
  return (fields.get(field) ?? []).filter((value): value is Buffer => typeof value !== 'number')
}

/** The text of a field, its values joined. */
export function textIn(fields: Fields, field: number): string {
  return bytesIn(fields, field)
    .map((value) => value.toString('utf8'))
    .join('')
}

export function damaged(cause?: unknown): ReadFailure {
  return new ReadFailure('damaged', 'The file is cut off or damaged. Export it as PDF and import that.', cause)
}
