/** 7z archives for tests: files stored without packing, in one block, with all checksums of the database. */
import { crc32 } from 'node:zlib'

export interface StoredEntry {
  readonly name: string
  /** Null for a folder. */
  readonly content: string | Uint8Array | null
}

interface Lies {
  /** In hexadecimal digits; that of stored files when left out. */
  readonly method?: string
  readonly unpackedBytes?: number
}

/** A number as the format has it. */
function number(value: number): Buffer {
  if (value < 0x80) return Buffer.from([value])
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xff
  bytes.writeBigUInt64LE(BigInt(value), 1)
  return bytes
}

const bits = (flags: readonly boolean[]): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(flags.length / 8))
  for (const [at, flag] of flags.entries()) if (flag) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7))
  return bytes
}
const property = (id: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([id]), number(content.length), content])
const little = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

/** The archive. */
export function sevenZip(entries: readonly StoredEntry[], { method = '00', unpackedBytes }: Lies = {}): Buffer {
  const contents = entries.map(({ content }) => (content === null ? null : Buffer.from(content)))
  const full = contents.flatMap((content) => (content === null || content.length === 0 ? [] : [content]))
  const packed = Buffer.concat(full)
  const isEmpty = contents.map((content) => content === null || content.length === 0)
  const id = Buffer.from(method, 'hex')
  const names = Buffer.from(entries.map(({ name }) => `${name}\0`).join(''), 'utf16le')
  const database = Buffer.concat([
    Buffer.from([0x01, 0x04, 0x06]),
    number(0),
    number(1),
    Buffer.from([0x09]),
    number(packed.length),
    Buffer.from([0x00, 0x07, 0x0b]),
    number(1),
    Buffer.from([0x00]),
    number(1),
    Buffer.from([id.length]),
    id,
    Buffer.from([0x0c]),
    number(unpackedBytes ?? packed.length),
    Buffer.from([0x00, 0x08, 0x0d]),
    number(full.length),
    Buffer.from([0x09]),
    ...full.slice(0, -1).map(({ length }) => number(length)),
    Buffer.from([0x0a, 0x01]),
    ...full.map((content) => little(crc32(content))),
    Buffer.from([0x00, 0x00, 0x05]),
    number(entries.length),
    property(0x0e, bits(isEmpty)),
    property(0x0f, bits(contents.filter((_, at) => isEmpty[at]).map((content) => content !== null))),
    property(0x11, Buffer.concat([Buffer.from([0]), names])),
    Buffer.from([0x00, 0x00]),
  ])
  return withHead(packed, database)
}

function withHead(packed: Buffer, database: Buffer): Buffer {
  const head = Buffer.alloc(32)
  Buffer.from('377abcaf271c0004', 'hex').copy(head)
  head.writeBigUInt64LE(BigInt(packed.length), 12)
  head.writeBigUInt64LE(BigInt(database.length), 20)
  head.writeUInt32LE(crc32(database), 28)
  head.writeUInt32LE(crc32(head.subarray(12)), 8)
  return Buffer.concat([head, packed, database])
}

/** The same archive with another byte at this place, and the checksums of the database as that is then. */
sevenZip.withChecksums = (archive: Buffer, at: number, value: number): Buffer => {
  const changed = Buffer.from(archive)
  changed[at] = value
  const start = 32 + Number(changed.readBigUInt64LE(12))
  return withHead(changed.subarray(32, start), changed.subarray(start))
}
