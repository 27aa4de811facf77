/** A page drawn into memory, on a white ground. */
import type { PixelGrid } from '#lib/png-pixels.ts'
import { ReadFailure } from '../reading.ts'
import type { PdfPage } from './pdfium.ts'

/** More dots than 300 for each inch show nothing more. */
const largestScale = 300 / 72
export const bytesPerPixel = 4
/** FPDFBitmap_BGRA; with the flag below its bytes come as RGBA. */
const bitmapFormat = 4
const drawAnnotations = 0x01
const reverseByteOrder = 0x10
const white = 0xffffffff

export interface Size {
  readonly width: number
  readonly height: number
}

/** Draws a page and gives `use` its pixels, which are gone afterwards. Throws ReadFailure `too_complex`. */
export function withPixels<Result>(page: PdfPage, pixelsMax: number, use: (grid: PixelGrid) => Result): Result {
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
    return use({ width, height, rgba: page.pdfium.bytes().subarray(pixels, pixels + stride * height) })
  } finally {
    call.free(pixels)
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
