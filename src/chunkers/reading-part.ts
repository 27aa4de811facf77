/** A part of a reading as a reading of its own. */
import type { Reading, Span } from '#readers/reading.ts'

/** Marks are clipped to the part and counted from its start; the first page is the one that the part begins on. */
export function partOf(reading: Reading, part: Span): Reading {
  const inside = <Mark extends Span>(mark: Mark) => mark.start < part.end && mark.end > part.start
  const at = (offset: number) => Math.min(Math.max(offset, part.start), part.end) - part.start
  const clipped = <Mark extends Span>(mark: Mark): Mark => ({ ...mark, start: at(mark.start), end: at(mark.end) })
  const later = reading.pages.findIndex(({ start }) => start > part.start)
  const firstPage = (later === -1 ? reading.pages.length : later) - 1
  return {
    ...reading,
    text: reading.text.slice(part.start, part.end),
    pages: reading.pages
      .slice(Math.max(0, firstPage))
      .filter(({ start }) => start < part.end)
      .map((page) => ({ ...page, start: at(page.start) })),
    headings: reading.headings.filter(inside).map(clipped),
    tables: reading.tables.filter(inside).map((table) => ({ ...clipped(table), headerEnd: at(table.headerEnd) })),
    code: reading.code.filter(inside).map(clipped),
  }
}
