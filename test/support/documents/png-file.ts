/** Writes PNG files for tests, with any row filter, so that decoders meet all of them. */
import { deflateSync } from 'node:zlib'

export interface PngPlan {
  readonly width: number
  readonly height: number
  readonly colourType: 0 | 2 | 3 | 4 | 6
  /** The samples of all pixels, row by row, one byte each. */
  readonly samples: Uint8Array
  /** Filter of each row, 0 to 4; 0 where left out. */
  readonly filters?: readonly number[]
  readonly palette?: Uint8Array
  readonly bitDepth?: number
  readonly interlaced?: boolean
}

const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const

/** The file as bytes. */
export function pngFile(plan: PngPlan): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(plan.width, 0)
  header.writeUInt32BE(plan.height, 4)
  header.set([plan.bitDepth ?? 8, plan.colourType, 0, 0, plan.interlaced ? 1 : 0], 8)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const palette = plan.palette ? [chunk('PLTE', plan.palette)] : []
  const data = chunk('IDAT', deflateSync(filtered(plan)))
  return Buffer.concat([signature, chunk('IHDR', header), ...palette, data, chunk('IEND', new Uint8Array())])
}

/** An RGB picture of vertical stripes of equal width. */
export function stripedPng(
  width: number,
  height: number,
  stripes: readonly (readonly number[])[],
): Buffer<ArrayBuffer> {
  const samples = new Uint8Array(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const stripe = Math.floor(((pixel % width) / width) * stripes.length)
    samples.set(stripes[stripe] ?? [], pixel * 3)
  }
  return pngFile({ width, height, colourType: 2, samples })
}

function filtered({ height, colourType, samples, filters = [] }: PngPlan): Uint8Array {
  const pixelBytes = channels[colourType]
  const rowBytes = samples.length / height
  const rows = new Uint8Array((rowBytes + 1) * height)
  const at = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (samples[y * rowBytes + x] ?? 0))
  for (let y = 0; y < height; y += 1) {
    const filter = filters[y] ?? 0
    rows[y * (rowBytes + 1)] = filter
    for (let x = 0; x < rowBytes; x += 1) {
      const guess = prediction(filter, at(x - pixelBytes, y), at(x, y - 1), at(x - pixelBytes, y - 1))
      rows[y * (rowBytes + 1) + 1 + x] = at(x, y) - guess
    }
  }
  return rows
}

function prediction(filter: number, a: number, b: number, c: number): number {
  if (filter === 4) {
    const p = a + b - c
    const [nearest = 0] = [a, b, c].toSorted((one, other) => Math.abs(p - one) - Math.abs(p - other))
    return nearest
  }
  return [0, a, b, Math.floor((a + b) / 2)][filter] ?? 0
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}
