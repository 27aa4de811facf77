/**
 * The files of a 7z archive: its database of streams and names, and the methods that hold documents (stored, LZMA, LZMA2,
 * Deflate). Filters for programs, BZip2 and PPMd are not read: their files are left out by name. (7zFormat.txt and
 * Methods.txt of the LZMA SDK 23.01.)
 *
 * Invariant: nothing is unpacked before all sizes are known and within the limit, one block of files at a time.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import { ReadFailure } from '../reading.ts'
import { unpackLzma, unpackLzma2 } from './lzma.ts'
import { SevenZipHeader, type Folder } from './seven-zip-header.ts'

const headBytes = 32
const encryptedMethod = '06f10701'

/** A file and its bytes, unpacked when its turn comes; may throw ReadFailure then. */
export interface SevenZipFile {
  readonly name: string
  readonly bytes: () => Uint8Array
}

/** The files in the order of the archive, folders left out. Throws ReadFailure. */
export function sevenZipFiles(archive: Buffer, unpackedBytesMax: number): SevenZipFile[] {
  const header = openHeader(archive, unpackedBytesMax)
  const all = header.folders.reduce((sum, folder) => sum + folder.unpackedBytes, 0)
  if (all > unpackedBytesMax) throw tooLarge()
  let open: { readonly folder: Folder; readonly bytes: Buffer } | null = null
  const bytesOf = (folder: Folder): Buffer => {
    // Files of one block follow each other, so it is unpacked once.
    if (open?.folder !== folder) {
      open = null
      open = { folder, bytes: unpackFolder(archive, folder) }
    }
    return open.bytes
  }
  return header.files.map(({ name, folder, offset, size, crc }) => ({
    name,
    bytes: () => {
      if (folder === null) return new Uint8Array()
      const bytes = bytesOf(folder).subarray(offset, offset + size)
      if (bytes.length !== size || (crc !== null && crc32(bytes) !== crc)) throw damaged()
      return bytes
    },
  }))
}

/** The database of the archive, which may itself be packed, and packed again. */
function openHeader(archive: Buffer, unpackedBytesMax: number): SevenZipHeader {
  if (archive.length < headBytes || crc32(archive.subarray(12, headBytes)) !== archive.readUInt32LE(8)) throw damaged()
  const offset = Number(archive.readBigUInt64LE(12))
  const size = Number(archive.readBigUInt64LE(20))
  const start = headBytes + offset
  if (size > archive.length || start + size > archive.length) throw damaged()
  let bytes = archive.subarray(start, start + size)
  if (size === 0 || crc32(bytes) !== archive.readUInt32LE(28)) throw damaged()
  for (let packings = 0; packings < packingsMax; packings += 1) {
    const header = new SevenZipHeader(bytes)
    if (!header.isPacked) return header
    const [folder] = header.folders
    if (folder === undefined || folder.unpackedBytes > Math.min(unpackedBytesMax, headerBytesMax)) throw tooLarge()
    bytes = unpackFolder(archive, folder)
  }
  throw damaged()
}

const packingsMax = 4
/** Names of some hundred thousand files. */
const headerBytesMax = 64_000_000

const methods: ReadonlyMap<string, (packed: Buffer, properties: Buffer, unpackedBytes: number) => Buffer> = new Map([
  ['00', (packed: Buffer) => packed],
  ['030101', unpackLzma],
  ['21', (packed: Buffer, _: Buffer, unpackedBytes: number) => unpackLzma2(packed, unpackedBytes)],
  ['040108', inflate],
])

function inflate(packed: Buffer, _: Buffer, unpackedBytes: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, unpackedBytes) })
  } catch (error) {
    throw damaged(error)
  }
}

function unpackFolder(archive: Buffer, { coders, packedStart, packedBytes, unpackedBytes, crc }: Folder): Buffer {
  if (coders.some(({ method }) => method === encryptedMethod)) {
    throw new ReadFailure('encrypted', 'The archive is protected by a password. Pack it without one.')
  }
  const [coder] = coders
  const method = coders.length === 1 && coder !== undefined ? methods.get(coder.method) : undefined
  if (coder === undefined || method === undefined) {
    throw new ReadFailure('unsupported_type', 'It is packed in a way that is not read. Pack it with LZMA2, or as ZIP.')
  }
  const start = headBytes + packedStart
  if (start + packedBytes > archive.length) throw damaged()
  const bytes = method(archive.subarray(start, start + packedBytes), coder.properties, unpackedBytes)
  if (bytes.length !== unpackedBytes || (crc !== null && crc32(bytes) !== crc)) throw damaged()
  return bytes
}

function tooLarge(): ReadFailure {
  return new ReadFailure('too_complex', 'The archive unpacks to more than is read. Divide it.')
}

function damaged(cause?: unknown): ReadFailure {
  return new ReadFailure('damaged', 'The archive is cut off or damaged. Pack it again.', cause)
}
