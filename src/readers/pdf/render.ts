/**
 * Pages as pictures: for models that read what has no text layer, and for people who look up a passage.
 */
import { encodePng } from '#lib/png-encode.ts'
import { ReadFailure } from '../reading.ts'
import { openPage, openPdf, withEngine } from './pdfium.ts'
import type { Box } from './fragments.ts'
import { passageMarks } from './passage-marks.ts'
import type { PdfPage } from './pdfium.ts'

/** More dots than 300 for each inch show nothing more. */
const largestScale = 300 / 72
const bytesPerPixel = 4
/** FPDFBitmap_BGRA; with the flag below its bytes come as RGBA. */
const bitmapFormat = 4
const drawAnnotations = 0x01
const reverseByteOrder = 0x10
const white = 0xffffffff

export interface RenderOptions {
  /** Most pixels of the picture. */
  readonly pixelsMax: number
  /** A part of the page's text to be marked; none when empty. */
  readonly passage: string
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
  return draw(opened, options)
}

function draw(page: PdfPage, { pixelsMax, passage }: RenderOptions): Uint8Array {
  const { width, height } = pictureSize(page, pixelsMax)
  const { call } = page.pdfium
  const stride = width * bytesPerPixel
  const pixels = call.malloc(stride * height)
  if (pixels === 0) throw new ReadFailure('too_complex', 'The page needs more memory than there is.')
  try {
    const bitmap = call.FPDFBitmap_CreateEx(width, height, bitmapFormat, pixels, stride)
    if (bitmap === 0) throw new ReadFailure('too_complex', 'The page cannot be drawn at this size.')
    call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white)
    call.FPDF_RenderPageBitmap(bitmap, page.pointer, 0, 0, width, height, 0, drawAnnotations | reverseByteOrder)
    call.FPDFBitmap_Destroy(bitmap)
    const marks =
      passage === '' ? [] : passageMarks(page, passage).map((box) => onPicture(page, box, { width, height }))
    const rgba = page.pdfium.bytes().subarray(pixels, pixels + stride * height)
    for (const mark of marks) tint(rgba, width, mark)
    return encodePng({ width, height, rgba })
  } finally {
    call.free(pixels)
  }
}

interface Size {
  readonly width: number
  readonly height: number
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

/** As large as allowed and useful, in the page's proportions as far as whole pixels can have them. */
function pictureSize(page: PdfPage, maxPixels: number): Size {
  const pageWidth = Math.max(page.width, 1)
  const pageHeight = Math.max(page.height, 1)
  const scale = Math.min(Math.sqrt(maxPixels / (pageWidth * pageHeight)), largestScale)
  const width = Math.min(Math.max(1, Math.floor(pageWidth * scale)), maxPixels)
  const height = Math.min(Math.max(1, Math.floor(pageHeight * scale)), Math.floor(maxPixels / width))
  return { width, height: Math.max(1, height) }
}
