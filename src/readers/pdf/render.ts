/**
 * Pages as pictures: for models that read what has no text layer, and for people who look up a passage.
 */
import { encodePng } from '#lib/png-encode.ts'
import type { Recogniser } from '../reading.ts'
import { ReadFailure } from '../reading.ts'
import { openPage, openPdf, withEngine } from './pdfium.ts'
import type { Box } from './fragments.ts'
import { hasText, marksAmong, passageMarks } from './passage-marks.ts'
import { bytesPerPixel, withPixels, type Size } from './page-pixels.ts'
import type { PdfPage } from './pdfium.ts'
import { recognisedWords } from './recognised-page.ts'

export interface RenderOptions {
  /** Most pixels of the picture. */
  readonly pixelsMax: number
  /** A part of the page's text to be marked; none when empty. */
  readonly passage: string
  /** Finds the words of a page without a text layer. */
  readonly recogniser?: Recogniser | undefined
}

/**
 * Page `page`, counted from 1, as a PNG on a white ground. Rejects with ReadFailure `damaged`, `encrypted`, or
 * `too_complex` when the picture cannot be made.
 */
export function renderPdfPage(bytes: Uint8Array, page: number, options: RenderOptions): Promise<Uint8Array> {
  return withEngine(() => render(bytes, page, options))
}

async function render(bytes: Uint8Array, page: number, options: RenderOptions): Promise<Uint8Array> {
  using document = await openPdf(bytes)
  using opened = openPage(document, page - 1)
  if (opened === null) throw new ReadFailure('damaged', `Page ${page} of the PDF cannot be read.`)
  return await draw(opened, options)
}

async function draw(page: PdfPage, { pixelsMax, passage, recogniser }: RenderOptions): Promise<Uint8Array> {
  const boxes = passage === '' ? [] : await marksOf(page, passage, recogniser)
  return withPixels(page, pixelsMax, (grid) => {
    for (const box of boxes) tint(grid.rgba, grid.width, onPicture(page, box, grid))
    return encodePng(grid)
  })
}

/** On a page without a text layer the words are recognised once more: they are not kept. */
async function marksOf(page: PdfPage, passage: string, recogniser: Recogniser | undefined): Promise<readonly Box[]> {
  if (recogniser === undefined || hasText(page)) return passageMarks(page, passage)
  return marksAmong(await recognisedWords(page, recogniser), passage)
}

/** Pixels: the first of each row and each row, and those behind the last. */
interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Where a box of the page is in the picture, whichever way the page is turned. */
function onPicture(page: PdfPage, box: Box, { width, height }: Size): Area {
  const { call, scratch } = page.pdfium
  const pixelOf = (x: number, y: number): readonly [number, number] => {
    call.FPDF_PageToDevice(page.pointer, 0, 0, width, height, 0, x, y, scratch, scratch + 4)
    const [across = 0, down = 0] = page.pdfium.integers().subarray(scratch / 4, scratch / 4 + 2)
    return [across, down]
  }
  const [x1, y1] = pixelOf(box.left, box.top)
  const [x2, y2] = pixelOf(box.right, box.bottom)
  const within = (value: number, max: number): number => Math.min(Math.max(value, 0), max)
  return {
    left: within(Math.min(x1, x2), width),
    right: within(Math.max(x1, x2) + 1, width),
    top: within(Math.min(y1, y2), height),
    bottom: within(Math.max(y1, y2) + 1, height),
  }
}

/** What share of red, green and blue is left: yellow on white, and letters stay dark. */
const marker = [1, 0.9, 0.35] as const

function tint(rgba: Uint8Array, width: number, { left, right, top, bottom }: Area): void {
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = (y * width + x) * bytesPerPixel
      for (const [channel, share] of marker.entries()) rgba[at + channel] = (rgba[at + channel] ?? 0) * share
    }
  }
}
