/** Zip archives for tests of readers: correct by default, and wrong in any one way that a test asks for. */

import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly content: string | Uint8Array
  readonly stored?: boolean
  readonly encrypted?: boolean
  /** What the archive says instead of the truth. */
  readonly declaredBytes?: number
  readonly declaredCrc?: number
}

export interface ZipOptions {
  /** Sizes, offsets and counts in the fields that archives above 4 GB need. */
  readonly zip64?: boolean
  readonly comment?: string
}

interface Fields {
  readonly name: Buffer
  readonly packed: Uint8Array
  readonly unpackedBytes: number
  readonly crc: number
  readonly flags: number
  readonly method: number
}

/** The bytes of an archive with these entries, in this order. */
export function zip(entries: readonly ZipEntry[], options: ZipOptions = {}): Uint8Array {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const fields = fieldsOf(entry)
    const header = localHeader(fields)
    local.push(header, Buffer.from(fields.packed))
    central.push(centralHeader(fields, offset, options.zip64 === true))
    offset += header.length + fields.packed.length
  }
  const directory = Buffer.concat(central)
  const place = { count: entries.length, size: directory.length, offset }
  const end = options.zip64 === true ? endRecords64(place) : endRecord(place, options.comment ?? '')
  return new Uint8Array(Buffer.concat([...local, directory, end]))
}

function fieldsOf(entry: ZipEntry): Fields {
  const content = Buffer.from(entry.content)
  return {
    name: Buffer.from(entry.name),
    packed: entry.stored === true ? content : deflateRawSync(content),
    unpackedBytes: entry.declaredBytes ?? content.length,
    crc: entry.declaredCrc ?? crc32(content),
    flags: entry.encrypted === true ? 0x801 : 0x800,
    method: entry.stored === true ? 0 : 8,
  }
}

function localHeader({ name, packed, unpackedBytes, crc, flags, method }: Fields): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(packed.length, 18)
  header.writeUInt32LE(unpackedBytes, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function centralHeader(fields: Fields, offset: number, zip64: boolean): Buffer {
  const { name, packed, unpackedBytes, crc, flags, method } = fields
  const extra = Buffer.alloc(zip64 ? 28 : 0)
  if (zip64) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(24, 2)
    extra.writeBigUInt64LE(BigInt(unpackedBytes), 4)
    extra.writeBigUInt64LE(BigInt(packed.length), 12)
    extra.writeBigUInt64LE(BigInt(offset), 20)
  }
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(method, 10)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(zip64 ? 0xffffffff : packed.length, 20)
  header.writeUInt32LE(zip64 ? 0xffffffff : unpackedBytes, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(zip64 ? 0xffffffff : offset, 42)
  return Buffer.concat([header, name, extra])
}

interface DirectoryPlace {
  readonly count: number
  readonly size: number
  readonly offset: number
}

function endRecord({ count, size, offset }: DirectoryPlace, comment: string): Buffer {
  const text = Buffer.from(comment)
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(Math.min(count, 0xffff), 8)
  record.writeUInt16LE(Math.min(count, 0xffff), 10)
  record.writeUInt32LE(size, 12)
  record.writeUInt32LE(offset, 16)
  record.writeUInt16LE(text.length, 20)
  return Buffer.concat([record, text])
}

function endRecords64({ count, size, offset }: DirectoryPlace): Buffer {
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(size), 40)
  record.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(offset + size), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([record, locator, endRecord({ count: 0xffff, size: 0xffffffff, offset: 0xffffffff }, '')])
}
