/**
 * What an image file states about itself: its format by its first bytes, its size in pixels from its
 * header, and whether it is complete. Nothing is decoded, so a file that would unpack to
 * gigabytes costs nothing here. Invariant: however large the file is, only a bounded number of its
 * parts is visited.
 */

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'bmp' | 'tiff'

export interface ImageHeader {
  readonly format: ImageFormat
  /** Zero when the header is damaged. Pixels. */
  readonly width: number
  readonly height: number
  /** The structure of the file has all its parts; a file cut off in the middle is not complete. */
  readonly complete: boolean
}

type Facts = Omit<ImageHeader, 'format'>

/** Chunks and segments that are looked at: many times what any program writes, and few enough to cost nothing. */
const partsMax = 20_000

const damaged: Facts = { width: 0, height: 0, complete: false }
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const endOfPng = 0x49454e44
const endOfJpeg = Buffer.from([0xff, 0xd9])

/** The format that the first 26 bytes of a file tell; null for any other file. */
export function imageFormatOf(bytes: Buffer): ImageFormat | null {
  return formatOf(bytes)?.format ?? null
}

/** The header of a file of a known format; null for any other file. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  const known = formatOf(bytes)
  if (known === null) return null
  const { format, read } = known
  try {
    return { format, ...read(bytes) }
  } catch (thrown) {
    // A header that points behind the end of the file.
    if (thrown instanceof RangeError) return { format, ...damaged }
    throw thrown
  }
}

interface KnownFormat {
  readonly format: ImageFormat
  readonly read: (bytes: Buffer) => Facts
}

function formatOf(bytes: Buffer): KnownFormat | null {
  const start = bytes.toString('latin1', 0, 12)
  if (bytes.subarray(0, 8).equals(pngSignature)) return { format: 'png', read: readPng }
  if (start.startsWith('\xff\xd8\xff')) return { format: 'jpeg', read: readJpeg }
  if (/^RIFF.{4}WEBP/s.test(start)) return { format: 'webp', read: readWebp }
  if (/^GIF8[79]a/.test(start)) return { format: 'gif', read: readGif }
  if (start.startsWith('BM') && bytes.length >= 26) return { format: 'bmp', read: readBmp }
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return { format: 'tiff', read: readTiff }
  return null
}

/** W3C PNG, 5.3 and 11.2.1: the header is the first chunk, IEND the last. */
function readPng(bytes: Buffer): Facts {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return damaged
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  let at = 8
  for (let part = 0; part < partsMax && at + 12 <= bytes.length; part += 1) {
    if (bytes.readUInt32BE(at + 4) === endOfPng) return { ...size, complete: true }
    at += 12 + bytes.readUInt32BE(at)
  }
  return { ...size, complete: false }
}

/** ITU T.81, B.1 and B.2: segments up to the scan, the frame header among them, and an end marker behind it. */
function readJpeg(bytes: Buffer): Facts {
  let size = { width: 0, height: 0 }
  let at = 2
  for (let part = 0; part < partsMax && bytes[at] === 0xff; part += 1) {
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isFrameHeader(marker)) size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    if (marker === 0xda) return { ...size, complete: bytes.lastIndexOf(endOfJpeg) > at }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return { ...size, complete: false }
}

/** SOF0 to SOF15 without the three markers in that range that are something else. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** RFC 9649, 2.4 to 2.7: the size of the file, and the three kinds of first chunk. */
function readWebp(bytes: Buffer): Facts {
  const complete = bytes.readUInt32LE(4) + 8 <= bytes.length
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, complete }
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1, complete }
  if (kind !== 'VP8L') return damaged
  const packed = bytes.readUInt32LE(21)
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1, complete }
}

/** GIF89a, 18 and 27: the logical screen, and the trailer. */
function readGif(bytes: Buffer): Facts {
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), complete: bytes.lastIndexOf(0x3b) > 12 }
}

/** BITMAPFILEHEADER and the headers after it; a negative height is a picture from top to bottom. */
function readBmp(bytes: Buffer): Facts {
  const isOld = bytes.readUInt32LE(14) === 12
  const width = isOld ? bytes.readUInt16LE(18) : bytes.readInt32LE(18)
  const height = isOld ? bytes.readUInt16LE(20) : Math.abs(bytes.readInt32LE(22))
  const complete = bytes.readUInt32LE(2) <= bytes.length && bytes.readUInt32LE(10) < bytes.length
  return { width: Math.max(0, width), height, complete }
}

/** TIFF 6.0, section 2: width and length are fields of the first directory. */
function readTiff(bytes: Buffer): Facts {
  const little = bytes[0] === 0x49
  const word = (at: number): number => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const long = (at: number): number => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const directory = long(4)
  const found = new Map<number, number>()
  for (let index = 0; index < word(directory); index += 1) {
    const at = directory + 2 + index * 12
    found.set(word(at), word(at + 2) === 3 ? word(at + 8) : long(at + 8))
  }
  return { width: found.get(256) ?? 0, height: found.get(257) ?? 0, complete: true }
}
