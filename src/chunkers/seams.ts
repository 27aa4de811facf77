/**
 * Where the structure of a reading may be cut, and what each cut tears apart. One pass over the lines;
 * nothing is measured here.
 */
import type { PageMark, Reading, Span, TableMark } from '#readers/reading.ts'
import { sentenceStarts } from './sentence-starts.ts'

/**
 * What a cut tears apart, the best first. `source` is where another sheet, chapter or attachment begins, which no chunk
 * goes across, since it could only be cited by the first of them. `part` is between two lines of a table or of code, and `bond`
 * where no cut should be: behind a heading, and behind the header of a table.
 */
export type Tear = 'source' | 'section' | 'page' | 'block' | 'part' | 'line' | 'sentence' | 'word' | 'bond'

export interface Seam {
  readonly offset: number
  readonly tear: Tear
  /** The table or code that the text behind the seam belongs to; null for headings and prose. */
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
  /** Whether an empty line stands before it. */
  readonly afterGap: boolean
}

/** The first is at 0, each is behind the white space that belongs to the text before it, but before indentation. */
export function seamsOf(reading: Reading): readonly Seam[] {
  const { text } = reading
  const seams: Seam[] = []
  let previous: Line | undefined
  let proseStart = -1
  const endProse = (end: number) => {
    if (proseStart === -1) return
    for (const offset of sentenceStarts(text, proseStart, end)) seams.push({ offset, tear: 'sentence', region: null })
    proseStart = -1
  }
  for (const line of linesOf(reading)) {
    const tear = previous === undefined ? 'section' : tearBefore(text, previous, line)
    previous = line
    if (tear === null) continue
    endProse(line.start)
    seams.push({ offset: seams.length === 0 ? 0 : line.start, tear, region: line.region })
    if (line.region === null && !line.isHeading) proseStart = line.start
  }
  endProse(text.length)
  if (seams.length === 0 && text !== '') seams.push({ offset: 0, tear: 'section', region: null })
  return seams
}

/** Null where a line only goes on because the one before was full. */
function tearBefore(text: string, previous: Line, line: Line): Tear | null {
  if (line.page !== undefined && line.page.label !== null) return 'source'
  if (previous.isHeading) return 'bond'
  if (line.isHeading) return 'section'
  const { region } = line
  if (region !== previous.region) return 'block'
  if (region?.kind === 'table' && previous.start < region.headerEnd) return 'bond'
  if (line.page !== undefined) return 'page'
  if (region !== null) return line.afterGap && region.kind === 'code' ? 'block' : 'part'
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
