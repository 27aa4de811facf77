/**
 * Pages as pictures, for models that read what has no text layer.
 */
import { encodePng } from '#lib/png-encode.ts'
import { ReadFailure } from '../reading.ts'
import { openPage, openPdf, withEngine } from './pdfium.ts'
import type { PdfPage } from './pdfium.ts'

/** More dots than 300 for each inch show nothing more. */
const largestScale = 300 / 72
const bytesPerPixel = 4
/** FPDFBitmap_BGRA; with the flag below its bytes come as RGBA. */
const bitmapFormat = 4
const drawAnnotations = 0x01
const reverseByteOrder = 0x10
const white = 0xffffffff

/**
 * Page `page`, counted from 1, as a PNG of at most `maxPixels` on a white ground. Rejects with ReadFailure `damaged`,
 * `encrypted`, or `too_complex` when the picture cannot be made.
 */
export function renderPdfPage(bytes: Uint8Array, page: number, maxPixels: number): Promise<Uint8Array> {
  return withEngine(() => render(bytes, page, maxPixels))
}

async function render(bytes: Uint8Array, page: number, maxPixels: number): Promise<Uint8Array> {
  using document = await openPdf(bytes)
  using opened = openPage(document, page - 1)
  if (opened === null) throw new ReadFailure('damaged', `Page ${page} of the PDF cannot be read.`)
  return draw(opened, maxPixels)
}

function draw(page: PdfPage, maxPixels: number): Uint8Array {
  const { width, height } = pictureSize(page, maxPixels)
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
    return encodePng({ width, height, rgba: page.pdfium.bytes().subarray(pixels, pixels + stride * height) })
  } finally {
    call.free(pixels)
  }
}

/** As large as allowed and useful, in the page's proportions as far as whole pixels can have them. */
function pictureSize(page: PdfPage, maxPixels: number): { readonly width: number; readonly height: number } {
  const pageWidth = Math.max(page.width, 1)
  const pageHeight = Math.max(page.height, 1)
  const scale = Math.min(Math.sqrt(maxPixels / (pageWidth * pageHeight)), largestScale)
  const width = Math.min(Math.max(1, Math.floor(pageWidth * scale)), maxPixels)
  const height = Math.min(Math.max(1, Math.floor(pageHeight * scale)), Math.floor(maxPixels / width))
  return { width, height: Math.max(1, height) }
}
