/** Pictures of text for tests of text recognition, drawn by the PDF engine: nothing but the packages is needed. */
import { pngPixels, type PixelGrid } from '#lib/png-pixels.ts'
import { encodePng } from '#lib/png-encode.ts'
import { renderPdfPage } from '#readers/pdf/render.ts'
import { column, writePdf, type PlacedText, type ScannedPage } from './pdf-writer.ts'

/** Points: of the page that is drawn, and where the part with the text begins on it, which alone is kept. */
const [pageHeight, above] = [842, 40]
/** Points of the picture. */
export const [width, height] = [595, 210]
/** Pixels of a page at 150 dots an inch. */
const pixelsMax = 2_180_000

/** The upper part of a page with these lines as a PNG. */
export async function pictureOf(lines: readonly string[] | readonly PlacedText[]): Promise<Uint8Array> {
  const texts = lines.map((line, at) =>
    typeof line === 'string' ? (column([line], { y: 760 - 20 * at, size: 14 })[0] as PlacedText) : line,
  )
  const page = pngPixels(await renderPdfPage(writePdf({ pages: [{ texts }] }), 1, { pixelsMax, passage: '' }))
  const row = (points: number): number => Math.round((points * page.height) / pageHeight)
  const [first, last] = [row(above), row(above + height)]
  const rgba = page.rgba.slice(4 * page.width * first, 4 * page.width * last)
  return encodePng({ width: page.width, height: last - first, rgba })
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
  const pixelsOfPoint = Math.sqrt(pixelsMax / (width * pageHeight))
  return {
    width: across / pixelsOfPoint,
    height: down / pixelsOfPoint,
    pixels: { width: across, height: down, grey },
  }
}
