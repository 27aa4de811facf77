/** Pictures of text for tests of text recognition, drawn by the PDF engine: nothing but the packages is needed. */
import { pngPixels, type PixelGrid } from '#lib/png-pixels.ts'
import { encodePng } from '#lib/png-encode.ts'
import { renderPdfPage } from '#readers/pdf/render.ts'
import { column, writePdf, type PlacedText, type ScannedPage } from './pdf-writer.ts'

const [width, height] = [595, 842]
/** Pixels of a page at 150 dots an inch. */
const pixelsMax = 2_180_000

/** A page with these lines as a PNG. */
export function pictureOf(lines: readonly string[] | readonly PlacedText[]): Promise<Uint8Array> {
  const texts = lines.map((line, at) =>
    typeof line === 'string' ? (column([line], { y: 760 - 20 * at, size: 14 })[0] as PlacedText) : line,
  )
  return renderPdfPage(writePdf({ pages: [{ texts }] }), 1, { pixelsMax, passage: '' })
}

/** The picture turned by quarters, clockwise. */
export function turnedPicture(png: Uint8Array, quarters: number): Uint8Array {
  let grid = pngPixels(png)
  for (let turn = 0; turn < quarters; turn += 1) grid = quarterTurn(grid)
  return encodePng(grid)
}

function quarterTurn({ width: across, height: down, rgba }: PixelGrid): PixelGrid {
  const from = new Uint32Array(rgba.slice().buffer)
  const to = new Uint32Array(from.length)
  for (let y = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1) to[x * down + (down - 1 - y)] = from[y * across + x] ?? 0
  return { width: down, height: across, rgba: new Uint8Array(to.buffer) }
}

/** The picture as the page of a scanned file. */
export function scanOf(png: Uint8Array): ScannedPage {
  const { width: across, height: down, rgba } = pngPixels(png)
  const grey = Uint8Array.from({ length: across * down }, (_, at) => rgba[4 * at] ?? 0)
  const isSideways = across > down
  return {
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    pixels: { width: across, height: down, grey },
  }
}
