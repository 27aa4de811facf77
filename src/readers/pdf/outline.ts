/**
 * A PDF's outline (bookmarks): the headings that its author made.
 */
import { readText } from './pdfium.ts'
import type { PdfDocument } from './pdfium.ts'

export interface OutlineEntry {
  readonly title: string
  /** Counted from 1. */
  readonly level: number
  /** Counted from 0; -1 when it leads nowhere. */
  readonly page: number
}

const mostEntries = 20_000
const deepestLevel = 12

/** The entries from the first to the last; an outline that runs in a circle is cut off. */
export function outlineOf(document: PdfDocument): OutlineEntry[] {
  const entries: OutlineEntry[] = []
  const seen = new Set<number>()
  const { pdfium, pointer } = document
  const { call } = pdfium

  const visit = (parent: number, level: number): void => {
    let bookmark = call.FPDFBookmark_GetFirstChild(pointer, parent)
    while (bookmark !== 0 && !seen.has(bookmark) && entries.length < mostEntries) {
      seen.add(bookmark)
      const current = bookmark
      const title = readText(pdfium, (place, size) => call.FPDFBookmark_GetTitle(current, place, size))
      entries.push({ title, level, page: pageOf(document, current) })
      if (level < deepestLevel) visit(current, level + 1)
      bookmark = call.FPDFBookmark_GetNextSibling(pointer, current)
    }
  }
  visit(0, 1)
  return entries
}

function pageOf({ pdfium: { call }, pointer }: PdfDocument, bookmark: number): number {
  const direct = call.FPDFBookmark_GetDest(pointer, bookmark)
  const action = direct === 0 ? call.FPDFBookmark_GetAction(bookmark) : 0
  const place = action === 0 ? direct : call.FPDFAction_GetDest(pointer, action)
  return place === 0 ? -1 : call.FPDFDest_GetDestPageIndex(pointer, place)
}
