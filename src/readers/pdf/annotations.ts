/**
 * What people wrote onto a page: comments and text boxes, which do not belong to its text. Source: fpdf_annot.h;
 * ISO 32000-1, 12.5.6.
 */
import { commentText } from '../marked-text.ts'
import { readText, scratchBytes, type PdfPage } from './pdfium.ts'

const annotationsMax = 10_000
const freeText = 3
/** Notes, lines, shapes, marked and struck out text, stamps, carets and ink. */
const comments = new Set([1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])

/** Comments, marked as such, and the texts of boxes, in the order of the file. */
export function annotationsOf(page: PdfPage): readonly string[] {
  const { call } = page.pdfium
  const count = Math.min(call.FPDFPage_GetAnnotCount(page.pointer), annotationsMax)
  const texts: string[] = []
  for (let at = 0; at < count; at += 1) {
    const annotation = call.FPDFPage_GetAnnot(page.pointer, at)
    if (annotation === 0) continue
    try {
      const kind = call.FPDFAnnot_GetSubtype(annotation)
      if (kind !== freeText && !comments.has(kind)) continue
      const said = entryOf(page, annotation, 'Contents').trim()
      if (said !== '')
        texts.push(kind === freeText ? said : commentText(said, { author: entryOf(page, annotation, 'T') }))
    } finally {
      call.FPDFPage_CloseAnnot(annotation)
    }
  }
  return texts
}

/** A text in the dictionary of an annotation; empty when it has none. */
export function entryOf({ pdfium }: Pick<PdfPage, 'pdfium'>, annotation: number, name: string): string {
  const key = pdfium.scratch + scratchBytes - keyBytes
  pdfium.bytes().set(new TextEncoder().encode(`${name}\0`), key)
  return readText(pdfium, (place, size) =>
    pdfium.call.FPDFAnnot_GetStringValue(annotation, key, place, Math.min(size, scratchBytes - keyBytes)),
  )
}

const keyBytes = 32
