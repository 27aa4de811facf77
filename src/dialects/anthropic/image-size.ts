/**
 * Width and height of a picture from the first bytes of its file: PNG, GIF, WebP, JPEG. Nothing is
 * decoded, and a damaged file is not an error: its size is unknown.
 */

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The size in pixels; null when it cannot be told. */
export function imageSize(bytes: Buffer): ImageSize | null {
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes)
  return size !== null && size.width > 0 && size.height > 0 ? size : null
}

/** The header chunk comes first (PNG, 11.2.1). */
function pngSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Logical screen descriptor (GIF89a, 18). */
function gifSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 4) !== 'GIF8') return null
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** RFC 9649, 2.5 to 2.7: the three kinds of first chunk. */
function webpSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return null
  const chunk = bytes.toString('latin1', 12, 16)
  if (chunk === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (chunk !== 'VP8L') return null
  const packed = bytes.readUInt32LE(21)
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
}

/** The frame header, behind any number of other segments (ITU T.81, B.2.2). */
function jpegSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isFrameHeader(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

/** SOF0 to SOF15 without the three markers in that range that are something else. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
