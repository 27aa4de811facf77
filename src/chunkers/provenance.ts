/** Where spans come from: page, headings, table, tokens. One pass over spans and marks, both in order. */
import type { HeadingMark, PageMark, Reading, Span } from '#readers/reading.ts'
import type { Chunk } from './chunk.ts'
import { tableHeaders } from './table-headers.ts'

/** Between a heading and what follows there is hardly more than an empty line. */
const spaceMax = 1000

export interface ProvenanceOptions<Part extends Span> {
  readonly tokensOf: (span: Part, text: string) => number
  /** Whether a table's header is worth repeating with each further piece of the table. */
  readonly repeatsHeader: (header: string) => boolean
}

/**
 * Spans in ascending order of their start, as chunks. The provenance is that of the chunk's first visible
 * character, except for the headings: a chunk that begins with headings has those that its text is under.
 */
export function withProvenance<Part extends Span>(
  reading: Reading,
  spans: readonly Part[],
  { tokensOf, repeatsHeader }: ProvenanceOptions<Part>,
): readonly Chunk[] {
  const pageAt = pageCursor(reading.pages)
  const headingsAt = headingCursor(reading.headings)
  const textAfter = textCursor(reading)
  const headerAt = tableHeaders(reading, repeatsHeader)
  return spans.map((span) => {
    const { start, end } = span
    const text = reading.text.slice(start, end)
    const first = start + Math.max(0, text.search(/\S/))
    const page = pageAt(first)
    const body = textAfter(first)
    return {
      start,
      end,
      page: page?.number ?? null,
      pageLabel: page?.label ?? null,
      headingPath: headingsAt(body < end ? body : first),
      tableHeader: headerAt(first),
      tokens: tokensOf(span, text),
    }
  })
}

/** The page that holds an offset, for offsets that are asked in ascending order; so are those below. */
function pageCursor(pages: readonly PageMark[]): (offset: number) => PageMark | undefined {
  let index = 0
  return (offset) => {
    for (let next = pages[index + 1]; next !== undefined && next.start <= offset; next = pages[index + 1]) index += 1
    return pages[index]
  }
}

/** Where the text continues after the headings; asked for in ascending order. */
function textCursor({ text, headings }: Reading): (offset: number) => number {
  let index = 0
  let known = -1
  return (offset) => {
    // Within the headings that were passed the last time; a long row of them is not walked once for each chunk.
    if (offset <= known) return known
    while ((headings[index]?.end ?? Infinity) <= offset) index += 1
    let at = offset
    for (let next = index; (headings[next]?.start ?? Infinity) <= at; next += 1) {
      const after = headings[next]?.end ?? at
      const visible = text.slice(after, after + spaceMax).search(/\S/)
      at = after + Math.max(0, visible)
    }
    known = at
    return at
  }
}

/** Titles above an offset. Of a heading itself: those that it stands under. */
function headingCursor(headings: readonly HeadingMark[]): (offset: number) => readonly string[] {
  let index = 0
  let open: readonly HeadingMark[] = []
  return (offset) => {
    let next = headings[index]
    while (next !== undefined && next.end <= offset) {
      open = [...above(open, next.level), next]
      next = headings[++index]
    }
    const path = next !== undefined && next.start <= offset ? above(open, next.level) : open
    return path.map(({ title }) => title)
  }
}

function above(open: readonly HeadingMark[], level: number): readonly HeadingMark[] {
  return open.filter((heading) => heading.level < level)
}
