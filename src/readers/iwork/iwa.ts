/**
 * The objects of a document of iWork: messages with numbers and types, packed by Snappy into the parts of a ZIP archive.
 * Apple documents none of it; the layout is what several independent readers agree on. Snappy: format_description.txt of
 * google/snappy, without its framing.
 */
import { openArchive, type Archive } from '../archive.ts'
import { ReadFailure } from '../reading.ts'
import { bytesIn, damaged, fieldsOf, numberIn, readVarint, type Cursor, type Fields } from './protobuf.ts'

export interface IworkObject {
  readonly id: number
  readonly type: number
  /** Decoded when it is first asked for. */
  readonly fields: Fields
}

export interface IworkDocument {
  /** In the order of the file. */
  readonly objects: ReadonlyMap<number, IworkObject>
  /** The names of its parts. */
  readonly parts: readonly string[]
  /** What one field of an object refers to; references to nothing are left out. */
  referred(fields: Fields, field: number): readonly IworkObject[]
}

const partsMax = 20_000
const objectsMax = 2_000_000

/** Opens the parts of a document. Throws ReadFailure. */
export function openIwork(archive: Archive, unpackedBytesMax: number): IworkDocument {
  const inner = archive.names.includes('Index.zip') ? archive.read('Index.zip') : null
  const index = inner === null ? archive : openArchive(inner, unpackedBytesMax)
  const parts = index.names.filter((name) => name.endsWith('.iwa')).slice(0, partsMax)
  const objects = new Map<number, IworkObject>()
  let left = unpackedBytesMax
  for (const part of parts) {
    const unpacked = unpackPart(Buffer.from(index.read(part) ?? []), left)
    left -= unpacked.length
    readObjects(unpacked, objects)
  }
  return {
    objects,
    parts,
    referred: (fields, field) =>
      bytesIn(fields, field).flatMap((reference) => {
        const object = objects.get(numberIn(fieldsOf(reference), 1) ?? -1)
        return object === undefined ? [] : [object]
      }),
  }
}

/** Blocks of a zero, three bytes of length, and what Snappy made. */
function unpackPart(part: Buffer, bytesMax: number): Buffer {
  const blocks: Buffer[] = []
  let left = bytesMax
  for (let at = 0; at + 4 <= part.length;) {
    const length = part.readUIntLE(at + 1, 3)
    if (part[at] !== 0 || at + 4 + length > part.length) throw damaged()
    const block = unsnap(part.subarray(at + 4, at + 4 + length), left)
    left -= block.length
    blocks.push(block)
    at += 4 + length
  }
  return Buffer.concat(blocks)
}

/** Unpacks one block. Throws ReadFailure `too_complex` when it says that it is larger than `bytesMax`, `damaged`. */
export function unsnap(block: Buffer, bytesMax: number): Buffer {
  const cursor: Cursor = { bytes: block, at: 0 }
  const length = readVarint(cursor)
  if (length > bytesMax) throw new ReadFailure('too_complex', 'The file unpacks to more than is read. Divide it.')
  // What is left out by a damaged block is zero, so nothing of other files shows.
  const out = Buffer.alloc(length)
  let end = 0
  while (cursor.at < block.length) {
    const tag = block[cursor.at] ?? 0
    cursor.at += 1
    if ((tag & 3) === 0) end = literal(cursor, tag, { out, end })
    else end = copy(cursor, tag, { out, end })
  }
  if (end !== length) throw damaged()
  return out
}

interface Output {
  readonly out: Buffer
  readonly end: number
}

function literal(cursor: Cursor, tag: number, { out, end }: Output): number {
  const short = tag >> 2
  const bytes = short < 60 ? 0 : short - 59
  if (cursor.at + bytes > cursor.bytes.length) throw damaged()
  const length = (bytes === 0 ? short : cursor.bytes.readUIntLE(cursor.at, bytes)) + 1
  cursor.at += bytes
  if (cursor.at + length > cursor.bytes.length || end + length > out.length) throw damaged()
  cursor.bytes.copy(out, end, cursor.at, cursor.at + length)
  cursor.at += length
  return end + length
}

function copy(cursor: Cursor, tag: number, { out, end }: Output): number {
  const kind = tag & 3
  const bytes = kind === 1 ? 1 : kind === 2 ? 2 : 4
  if (cursor.at + bytes > cursor.bytes.length) throw damaged()
  const written = cursor.bytes.readUIntLE(cursor.at, bytes)
  cursor.at += bytes
  const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
  const offset = kind === 1 ? ((tag >> 5) << 8) | written : written
  if (offset === 0 || offset > end || end + length > out.length) throw damaged()
  // Byte by byte: it may repeat what it has just written.
  for (let at = end; at < end + length; at += 1) out[at] = out[at - offset] ?? 0
  return end + length
}

function readObjects(part: Buffer, objects: Map<number, IworkObject>): void {
  const cursor: Cursor = { bytes: part, at: 0 }
  while (cursor.at < part.length) {
    const head = take(cursor, readVarint(cursor))
    const about = fieldsOf(head)
    const id = numberIn(about, 1) ?? -1
    for (const [at, message] of bytesIn(about, 2).entries()) {
      const info = fieldsOf(message)
      const content = take(cursor, numberIn(info, 3) ?? 0)
      // The first message is the object, others are changes to it.
      if (at === 0) objects.set(id, new LazyObject(id, numberIn(info, 1) ?? -1, content))
    }
    if (objects.size > objectsMax) throw new ReadFailure('too_complex', 'The file has too many parts. Divide it.')
  }
}

function take(cursor: Cursor, length: number): Buffer {
  if (cursor.at + length > cursor.bytes.length) throw damaged()
  cursor.at += length
  return cursor.bytes.subarray(cursor.at - length, cursor.at)
}

class LazyObject implements IworkObject {
  readonly id: number
  readonly type: number
  readonly #content: Buffer
  #fields: Fields | null = null

  constructor(id: number, type: number, content: Buffer) {
    this.id = id
    this.type = type
    this.#content = content
  }

  get fields(): Fields {
    this.#fields ??= fieldsOf(this.#content)
    return this.#fields
  }
}
