/**
 * Zip archives in memory, as office documents and e-books are: entries are found through the central
 * directory and unpacked one at a time when asked for. Nothing is written to disk and an archive
 * inside an archive is bytes like any other.
 *
 * Invariant: no entry costs more memory than it declares, and no archive more than its limit,
 * whatever its bytes say. (APPNOTE.TXT 6.3.10, PKWARE.)
 */

import { crc32, inflateRawSync } from 'node:zlib'
import { ReadFailure } from './reading.ts'

export interface Archive {
  /** In the order of the archive, folders left out. */
  readonly names: readonly string[]
  /** The unpacked bytes of an entry, null when no entry has that name; throws ReadFailure when it cannot be trusted. */
  read(name: string): Uint8Array | null
}

interface Entry {
  readonly name: string
  readonly encrypted: boolean
  readonly method: number
  readonly crc: number
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly headerOffset: number
}

interface Directory {
  readonly offset: number
  readonly end: number
  readonly count: number
}

/** A large presentation has a few thousand. */
const entriesMax = 20_000

/** Deflate reaches 1032. Spreadsheets of one repeated value stay below 100; a white bitmap does not, but it is never read. */
const ratioMax = 250
const ratioFreeBytes = 4 * 1024 * 1024

const stored = 0
const deflated = 8

/**
 * Checks the directory of a zip archive, unpacks nothing. Throws ReadFailure: `damaged`, `encrypted` or `too_complex`.
 * The parts of a document have one name in large and small letters; files that a person packed may have two.
 */
export function openArchive(bytes: Uint8Array, unpackedBytesMax: number, nameOf = foldedName): Archive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = readEntries(view, bytes)
  let declared = 0
  for (const entry of entries) declared += entry.unpackedBytes
  if (declared > unpackedBytesMax) throw tooLarge(unpackedBytesMax)

  const byName = new Map<string, Entry | 'ambiguous'>()
  for (const entry of entries) {
    const key = nameOf(entry.name)
    byName.set(key, byName.has(key) ? 'ambiguous' : entry)
  }

  let unpacked = 0
  return {
    names: entries.filter((entry) => !entry.name.endsWith('/')).map((entry) => entry.name),
    read(name) {
      const entry = byName.get(nameOf(name))
      if (entry === undefined) return null
      if (entry === 'ambiguous') throw damaged('It holds two entries of the same name.')
      unpacked += entry.unpackedBytes
      if (unpacked > unpackedBytesMax) throw tooLarge(unpackedBytesMax)
      return unpack(view, bytes, entry)
    },
  }
}

function foldedName(name: string): string {
  return name.toLowerCase()
}

function unpack(view: DataView, bytes: Uint8Array, entry: Entry): Uint8Array {
  if (entry.encrypted)
    throw new ReadFailure('encrypted', 'The file is protected by a password. Remove it and import the file again.')
  const { headerOffset, packedBytes, unpackedBytes } = entry
  if (headerOffset + 30 > view.byteLength || view.getUint32(headerOffset, true) !== 0x04034b50) throw damaged()
  const start = headerOffset + 30 + view.getUint16(headerOffset + 26, true) + view.getUint16(headerOffset + 28, true)
  if (start + packedBytes > bytes.length) throw damaged()
  const packed = bytes.subarray(start, start + packedBytes)
  const content = entry.method === stored ? packed : inflate(packed, entry)
  if (content.length !== unpackedBytes) throw damaged('An entry has another size than the archive says.')
  if (crc32(content) !== entry.crc) throw damaged('An entry does not have the checksum that the archive says.')
  return content
}

function inflate(packed: Uint8Array, { method, packedBytes, unpackedBytes }: Entry): Uint8Array {
  if (method !== deflated) throw damaged('An entry is packed in a way that these formats do not use.')
  if (unpackedBytes > ratioFreeBytes && unpackedBytes > ratioMax * packedBytes) {
    throw new ReadFailure(
      'too_complex',
      'A part of the file unpacks to more than 250 times its size, which no document does.',
    )
  }
  try {
    // Stops at the declared size, so that a size that lies cannot cost more than it says.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, unpackedBytes) })
  } catch (error) {
    throw damaged('An entry cannot be unpacked to the size that the archive says.', error)
  }
}

function readEntries(view: DataView, bytes: Uint8Array): Entry[] {
  const { offset, end, count } = findDirectory(view)
  if (count > entriesMax)
    throw new ReadFailure('too_complex', `The file is an archive of more than ${entriesMax} entries.`)
  const entries: Entry[] = []
  let at = offset
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50) throw damaged()
    const nameStart = at + 46
    const extraStart = nameStart + view.getUint16(at + 28, true)
    const extraEnd = extraStart + view.getUint16(at + 30, true)
    const next = extraEnd + view.getUint16(at + 32, true)
    if (next > end) throw damaged()
    const flags = view.getUint16(at + 8, true)
    entries.push({
      // Some Windows software separates folders by backslashes.
      name: new TextDecoder().decode(bytes.subarray(nameStart, extraStart)).replaceAll('\\', '/'),
      encrypted: (flags & 1) !== 0,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      ...sizesOf(view, { at, extraStart, extraEnd }),
    })
    at = next
  }
  return entries
}

/** Sizes and offset of an entry; those that say 0xffffffff are 64 bits in an extra field, in this order. */
function sizesOf(
  view: DataView,
  entry: { readonly at: number; readonly extraStart: number; readonly extraEnd: number },
) {
  const sizes = [
    view.getUint32(entry.at + 24, true),
    view.getUint32(entry.at + 20, true),
    view.getUint32(entry.at + 42, true),
  ]
  if (sizes.includes(0xffffffff)) {
    let at = zip64Extra(view, entry.extraStart, entry.extraEnd)
    for (const [index, size] of sizes.entries()) {
      if (size !== 0xffffffff) continue
      if (at + 8 > entry.extraEnd) throw damaged()
      sizes[index] = Number(view.getBigUint64(at, true))
      at += 8
    }
  }
  const [unpackedBytes = 0, packedBytes = 0, headerOffset = 0] = sizes
  return { unpackedBytes, packedBytes, headerOffset }
}

function zip64Extra(view: DataView, start: number, end: number): number {
  let at = start
  while (at + 4 <= end) {
    if (view.getUint16(at, true) === 0x0001) return at + 4
    at += 4 + view.getUint16(at + 2, true)
  }
  throw damaged()
}

/** The end record is at the end, behind it at most a comment of 65,535 bytes. */
function findDirectory(view: DataView): Directory {
  const earliest = Math.max(0, view.byteLength - 22 - 0xffff)
  for (let at = view.byteLength - 22; at >= earliest; at -= 1) {
    if (view.getUint32(at, true) !== 0x06054b50) continue
    if (at + 22 + view.getUint16(at + 20, true) > view.byteLength) continue
    return directoryAt(view, at)
  }
  throw damaged()
}

function directoryAt(view: DataView, record: number): Directory {
  let count = view.getUint16(record + 10, true)
  let size = view.getUint32(record + 12, true)
  let offset = view.getUint32(record + 16, true)
  let end = record
  if (count === 0xffff || size === 0xffffffff || offset === 0xffffffff) {
    const locator = record - 20
    if (locator < 0 || view.getUint32(locator, true) !== 0x07064b50) throw damaged()
    const record64 = Number(view.getBigUint64(locator + 8, true))
    if (record64 + 56 > locator || view.getUint32(record64, true) !== 0x06064b50) throw damaged()
    count = Number(view.getBigUint64(record64 + 32, true))
    size = Number(view.getBigUint64(record64 + 40, true))
    offset = Number(view.getBigUint64(record64 + 48, true))
    end = record64
  }
  if (offset + size > end) throw damaged()
  return { offset, end: offset + size, count }
}

function tooLarge(unpackedBytesMax: number): ReadFailure {
  const megabytes = Math.floor(unpackedBytesMax / 1_000_000)
  return new ReadFailure(
    'too_complex',
    `The file unpacks to more than the ${megabytes} MB allowed. Split it and import the parts.`,
  )
}

function damaged(detail = 'It is cut off or was changed on its way.', cause?: unknown): ReadFailure {
  return new ReadFailure(
    'damaged',
    `The file is not an intact archive, as its type promises. ${detail} Export it again.`,
    cause,
  )
}
