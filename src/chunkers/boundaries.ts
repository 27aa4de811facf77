/**
 * Finds the boundaries of a reading at which it may be cut, and which kind each of them is. One pass over
 * the lines; nothing is measured here.
 */
import type { PageMark, Reading, Span, TableMark } from '#readers/reading.ts'
import { sentenceStarts } from './sentence-starts.ts'

/**
 * The kinds, the best to cut at first. A chunk never goes across `source`, where another sheet, chapter or attachment
 * begins, since it could only be cited by the first of them. `row` is between two lines of a table or of code.
 * `keepWithNext` is behind a heading and behind the header of a table, where no cut should be.
 */
export type BoundaryKind =
  | 'source'
  | 'section'
  | 'page'
  | 'block'
  | 'row'
  | 'line'
  | 'sentence'
  | 'word'
  | 'keepWithNext'

export interface Boundary {
  readonly offset: number
  readonly kind: BoundaryKind
  /** The table or code that the text behind the boundary belongs to; null for headings and prose. */
  readonly region: Region | null
}

export interface Region extends Span {
  readonly kind: 'table' | 'code'
  /** End of a table's header; `start` for code. */
  readonly headerEnd: number
}

interface Line extends Span {
  readonly region: Region | null
  readonly isHeading: boolean
  readonly page: PageMark | undefined
  /** Whether an empty line precedes it. */
  readonly afterGap: boolean
}

/** The first is at 0, each is behind the white space that belongs to the text before it, but before indentation. */
export function boundariesOf(reading: Reading): readonly Boundary[] {
  const { text } = reading
  const boundaries: Boundary[] = []
  let previous: Line | undefined
  let proseStart = -1
  const endProse = (end: number) => {
    if (proseStart === -1) return
    for (const offset of sentenceStarts(text, proseStart, end))
      boundaries.push({ offset, kind: 'sentence', region: null })
    proseStart = -1
  }
  for (const line of linesOf(reading)) {
    const kind = previous === undefined ? 'section' : kindBefore(text, previous, line)
    previous = line
    if (kind === null) continue
    endProse(line.start)
    boundaries.push({ offset: boundaries.length === 0 ? 0 : line.start, kind, region: line.region })
    if (line.region === null && !line.isHeading) proseStart = line.start
  }
  endProse(text.length)
  if (boundaries.length === 0 && text !== '') boundaries.push({ offset: 0, kind: 'section', region: null })
  return boundaries
}

/** Null where a line only goes on because the one before was full. */
function kindBefore(text: string, previous: Line, line: Line): BoundaryKind | null {
  if (line.page !== undefined && line.page.label !== null) return 'source'
  if (previous.isHeading) return 'keepWithNext'
  if (line.isHeading) return 'section'
  const { region } = line
  if (region !== previous.region) return 'block'
  if (region?.kind === 'table' && previous.start < region.headerEnd) return 'keepWithNext'
  if (line.page !== undefined) return 'page'
  if (region !== null) return line.afterGap && region.kind === 'code' ? 'block' : 'row'
  if (line.afterGap) return 'block'
  return isWrapped(text, previous, line) ? null : 'line'
}

const wrapLengthMin = 60

/** Whether the break between two lines of prose is the paper's width and no thought's end. */
function isWrapped(text: string, previous: Line, line: Line): boolean {
  if (previous.end - previous.start < wrapLengthMin) return false
  if (/[.!?:;|。！？]["'”’»)\]]*\s*$/.test(text.slice(Math.max(previous.start, previous.end - 8), previous.end)))
    return false
  return (
    /^\s{0,3}[\p{Ll}\p{Lo}\d("'“]/u.test(text.slice(line.start, line.start + 5)) &&
    !/^\s*\d+[.)]\s/.test(text.slice(line.start, line.start + 8))
  )
}

/** Lines that are not empty. A page that begins within a line counts for the next one. */
function* linesOf({ text, headings, tables, code, pages }: Reading): Generator<Line> {
  const regionAt = cursor(regionsOf(tables, code))
  const headingAt = cursor(headings)
  let page = 1
  let afterGap = false
  let nextVisible = -1
  for (let start = 0; start < text.length;) {
    const lineFeed = text.indexOf('\n', start)
    const end = lineFeed === -1 ? text.length : lineFeed
    if (nextVisible < start) nextVisible = visibleFrom(text, start)
    if (nextVisible >= end) afterGap = true
    else {
      let begun: PageMark | undefined
      for (let next = pages[page]; next !== undefined && next.start <= start; next = pages[page]) {
        begun = next
        page += 1
      }
      yield {
        start,
        end,
        region: regionAt(start) ?? null,
        isHeading: headingAt(start) !== undefined,
        page: begun,
        afterGap,
      }
      afterGap = false
    }
    start = end + 1
  }
}

function regionsOf(tables: readonly TableMark[], code: readonly Span[]): readonly Region[] {
  const regions: Region[] = [
    ...tables.map(({ start, end, headerEnd }) => ({ kind: 'table' as const, start, end, headerEnd })),
    ...code.map(({ start, end }) => ({ kind: 'code' as const, start, end, headerEnd: start })),
  ]
  return regions.toSorted((a, b) => a.start - b.start)
}

/** The span that holds an offset, for offsets that are asked in ascending order. */
function cursor<Marked extends Span>(spans: readonly Marked[]): (offset: number) => Marked | undefined {
  let index = 0
  return (offset) => {
    let span = spans[index]
    while (span !== undefined && span.end <= offset) span = spans[++index]
    return span !== undefined && span.start <= offset ? span : undefined
  }
}

const visible = /\S/g

function visibleFrom(text: string, start: number): number {
  visible.lastIndex = start
  return visible.exec(text)?.index ?? text.length
}
