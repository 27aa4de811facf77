/** Long texts in windows that are planned one after the other, so that memory does not grow with the text. */
import type { Reading, Span } from '#readers/reading.ts'
import { graphemeBoundary } from './split-span.ts'

/** Planning takes some hundred bytes for each line, so a long text is planned in windows of this many characters. */
const windowMax = 500_000

/** The text in windows that end where a section, a page, a block or a line does, whichever comes first in this order. */
export function* planningWindows({ text, headings, pages }: Reading): Generator<Span> {
  let start = 0
  while (text.length - start > windowMax) {
    const limit = start + windowMax
    // In the first half there is nothing to look for: windows would be many and small.
    const least = start + windowMax / 2
    const inReach = (mark: { readonly start: number }): boolean => mark.start > least && mark.start <= limit
    const block = text.lastIndexOf('\n\n', limit - 2) + 2
    const line = text.lastIndexOf('\n', limit - 1) + 1
    const end =
      headings.findLast(inReach)?.start ??
      pages.findLast(inReach)?.start ??
      [block, line].find((offset) => offset > least) ??
      graphemeBoundary(text, limit, least)
    yield { start, end }
    start = end
  }
  if (start < text.length) yield { start, end: text.length }
}
