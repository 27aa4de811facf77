/**
 * Reads the pixels of a PNG that this process has just written: 8 bits a channel, not interlaced.
 *
 * Made for small thumbnails. It checks no CRC and handles no ancillary chunk, so pictures from
 * outside go through Bun.Image first. Source: https://www.w3.org/TR/png-3/
 */
import { inflateSync } from 'node:zlib'

export interface PixelGrid {
  readonly width: number
  readonly height: number
  /** Red, green, blue, alpha for each pixel, row by row; `width * height * 4` bytes. */
  readonly rgba: Uint8Array
}

const signatureBytes = 8
const chunkOverheadBytes = 12
/** Channels by colour type: grey, RGB, palette index, grey and alpha, RGBA. */
const channelsByColourType: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

interface Layout {
  readonly width: number
  readonly height: number
  readonly colourType: number
  readonly channels: number
}

interface Chunks {
  readonly layout: Layout
  readonly palette: Uint8Array
  readonly paletteAlpha: Uint8Array
  readonly compressed: Uint8Array
}

/** The picture as RGBA. Throws a RangeError when it is not a PNG of the kind named above. */
export function pngPixels(png: Uint8Array): PixelGrid {
  const chunks = readChunks(png)
  const { width, height, channels } = chunks.layout
  const rowBytes = width * channels
  // The size of the unpacked rows is known beforehand, so a packed bomb stops at it.
  const rows = inflateSync(chunks.compressed, { maxOutputLength: Math.max(1, (rowBytes + 1) * height) })
  if (rows.length !== (rowBytes + 1) * height) throw new RangeError('PNG rows are incomplete')
  const samples = unfilter(rows, rowBytes, channels)
  return { width, height, rgba: toRgba(samples, chunks) }
}

function readChunks(png: Uint8Array): Chunks {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  let layout: Layout | undefined
  let palette: Uint8Array = new Uint8Array()
  let paletteAlpha: Uint8Array = new Uint8Array()
  const compressed: Uint8Array[] = []
  for (let at = signatureBytes; at + chunkOverheadBytes <= png.length;) {
    const length = view.getUint32(at)
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8))
    const data = png.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') layout = readLayout(data)
    else if (type === 'PLTE') palette = data
    else if (type === 'tRNS') paletteAlpha = data
    else if (type === 'IDAT') compressed.push(data)
    at += chunkOverheadBytes + length
  }
  if (layout === undefined) throw new RangeError('not a PNG')
  return { layout, palette, paletteAlpha, compressed: Buffer.concat(compressed) }
}

function readLayout(header: Uint8Array): Layout {
  if (header.length < 13) throw new RangeError('PNG header is incomplete')
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  const colourType = view.getUint8(9)
  const channels = channelsByColourType[colourType]
  if (channels === undefined || view.getUint8(8) !== 8 || view.getUint8(12) !== 0) {
    throw new RangeError('only 8-bit PNGs without interlacing are read')
  }
  return { width: view.getUint32(0), height: view.getUint32(4), colourType, channels }
}

/** Undoes the row filters; each row starts with the number of its filter. */
function unfilter(rows: Uint8Array, rowBytes: number, pixelBytes: number): Uint8Array {
  const height = rows.length / (rowBytes + 1)
  const samples = new Uint8Array(rowBytes * height)
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (rowBytes + 1)]
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x
      const left = x < pixelBytes ? 0 : (samples[at - pixelBytes] ?? 0)
      const up = y === 0 ? 0 : (samples[at - rowBytes] ?? 0)
      const upLeft = x < pixelBytes || y === 0 ? 0 : (samples[at - rowBytes - pixelBytes] ?? 0)
      samples[at] = (rows[y * (rowBytes + 1) + 1 + x] ?? 0) + predicted(filter, left, up, upLeft)
    }
  }
  return samples
}

function predicted(filter: number | undefined, left: number, up: number, upLeft: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter === 4) return paeth(left, up, upLeft)
  throw new RangeError('unknown PNG row filter')
}

/** Whichever neighbour is nearest to left + up - upLeft; ties go left, up, upLeft. */
function paeth(left: number, up: number, upLeft: number): number {
  const toLeft = Math.abs(up - upLeft)
  const toUp = Math.abs(left - upLeft)
  const toUpLeft = Math.abs(left + up - 2 * upLeft)
  if (toLeft <= toUp && toLeft <= toUpLeft) return left
  return toUp <= toUpLeft ? up : upLeft
}

function toRgba(samples: Uint8Array, { layout, palette, paletteAlpha }: Chunks): Uint8Array {
  const { width, height, channels, colourType } = layout
  const rgba = new Uint8Array(width * height * 4)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const first = samples[pixel * channels] ?? 0
    const sample = (offset: number) => samples[pixel * channels + offset] ?? 0
    const swatch = (offset: number) => palette[first * 3 + offset] ?? 0
    if (colourType === 0) rgba.set([first, first, first, 255], pixel * 4)
    else if (colourType === 2) rgba.set([first, sample(1), sample(2), 255], pixel * 4)
    else if (colourType === 3) rgba.set([swatch(0), swatch(1), swatch(2), paletteAlpha[first] ?? 255], pixel * 4)
    else if (colourType === 4) rgba.set([first, first, first, sample(1)], pixel * 4)
    else rgba.set([first, sample(1), sample(2), sample(3)], pixel * 4)
  }
  return rgba
}
