/** Long texts in stretches that are planned one after the other, so that memory does not grow with the text. */
import type { Reading, Span } from '#readers/reading.ts'
import { clusterStart } from './break-down.ts'

/** Planning takes some hundred bytes for each line, so a long text is planned in stretches of this many characters. */
const stretchMax = 500_000

/** The text in stretches that end where a section, a page, a block or a line does, whichever comes first in this order. */
export function* stretchesOf({ text, headings, pages }: Reading): Generator<Span> {
  let start = 0
  while (text.length - start > stretchMax) {
    const limit = start + stretchMax
    // In the first half there is nothing to look for: stretches would be many and small.
    const least = start + stretchMax / 2
    const inReach = (mark: { readonly start: number }): boolean => mark.start > least && mark.start <= limit
    const block = text.lastIndexOf('\n\n', limit - 2) + 2
    const line = text.lastIndexOf('\n', limit - 1) + 1
    const end =
      headings.findLast(inReach)?.start ??
      pages.findLast(inReach)?.start ??
      [block, line].find((offset) => offset > least) ??
      clusterStart(text, limit, least)
    yield { start, end }
    start = end
  }
  if (start < text.length) yield { start, end: text.length }
}
