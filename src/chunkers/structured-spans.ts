/**
 * A reading in spans of a limited number of units, cut at the best boundaries: what the token and the
 * character chunker share. Plans with sums of measured pieces, then measures each span as a whole:
 * tokens are only about additive, and a promised limit is a limit.
 */
import type { Reading, Span } from '#readers/reading.ts'
import { splitSpan } from './split-span.ts'
import { cheapestGroups, type Group } from './cheapest-groups.ts'
import type { ChunkOptions } from './chunk.ts'
import { isHeaderRepeated, measureOf, piecesOf, type Piece, type Unit } from './pieces.ts'
import { partOf } from './reading-part.ts'
import { planningWindows } from './planning-windows.ts'
import { tableHeaders } from './table-headers.ts'

export interface SizedSpan extends Span {
  /** In the unit, a repeated header not included. */
  readonly size: number
}

/**
 * Spans in order that cover every character. With a table's header that is repeated beside it, none takes more than
 * `limits.units`, but a single code point.
 */
export function structuredSpans(reading: Reading, limits: ChunkOptions, unit: Unit): readonly SizedSpan[] {
  const size = sizeWithin(reading, limits, unit)
  const spans: SizedSpan[] = []
  for (const window of planningWindows(reading)) {
    const pieces = piecesOf(partOf(reading, window), limits, unit)
    // A stack: what is parted comes back as its parts, the first on top.
    const waiting = [...cheapestGroups(pieces, limits)].toReversed()
    for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
      const [first, last] = [pieces[group.from], pieces[group.to - 1]]
      if (first === undefined || last === undefined) break
      const whole = { start: window.start + first.start, end: window.start + last.end }
      const starts = overlapStarts(reading.text, spans.at(-1), limits.overlap, unit)
      const span = longestOf([...starts, whole.start], whole.end, size)
      if (span !== null) spans.push(span)
      else if (group.to - group.from > 1) waiting.push(...split(pieces, group))
      else spans.push(...broken(reading.text, whole, unit))
    }
  }
  return spans
}

/** Size of a span, or null when it takes more than a chunk may with the header that it needs. */
type SizeWithin = (span: Span) => number | null

function sizeWithin(reading: Reading, limits: ChunkOptions, unit: Unit): SizeWithin {
  const headerAt = tableHeaders(reading, (header) => isHeaderRepeated(header, limits, unit))
  return ({ start, end }) => {
    const part = reading.text.slice(start, end)
    const header = headerAt(start + Math.max(0, part.search(/\S/)))
    const size = unit.sizeOf(part)
    return size + (header === null ? 0 : unit.sizeOf(`${header}\n`)) <= limits.units ? size : null
  }
}

function longestOf(starts: readonly number[], end: number, size: SizeWithin): SizedSpan | null {
  for (const start of starts) {
    const taken = size({ start, end })
    if (taken !== null) return { start, end, size: taken }
  }
  return null
}

/** UTF-16 units that a unit takes at most on average; only bounds how far back an overlap is looked for. */
const reachPerUnit = 16
const overlapTries = 3

/** Where an overlap of at most `overlap` units may begin, the longest first: between words, in a long run within it. */
function overlapStarts(text: string, previous: Span | undefined, overlap: number, unit: Unit): readonly number[] {
  if (previous === undefined || overlap === 0) return []
  const { end } = previous
  const start = Math.max(previous.start + 1, end - overlap * reachPerUnit)
  const sizes = { target: 1, max: Math.max(1, Math.floor(overlap / 8)) }
  // The first part may be the rest of a word, or of a character.
  const parts = splitSpan(text, { start, end }, measureOf(text, unit), sizes).slice(1)
  const starts: number[] = []
  let size = 0
  for (const part of parts.toReversed()) {
    size += part.size
    if (size > overlap) break
    starts.push(part.start)
  }
  const longest = starts.slice(-overlapTries).toReversed()
  return longest.filter((from) => unit.sizeOf(text.slice(from, end)) <= overlap)
}

/** Two groups of one, cut where it is cheapest; the later one first, as the stack wants it. */
function split(pieces: readonly Piece[], { from, to }: Group): readonly Group[] {
  let cut = to - 1
  for (let index = to - 1; index > from; index--) {
    if ((pieces[index]?.penalty ?? 0) < (pieces[cut]?.penalty ?? 0)) cut = index
  }
  return [
    { from: cut, to },
    { from, to: cut },
  ]
}

/** A piece that is too large with its last space or its header, word by word: room for next to nothing. */
function broken(text: string, span: Span, unit: Unit): readonly SizedSpan[] {
  const measure = measureOf(text, { ...unit, spaceJoins: false })
  return splitSpan(text, span, measure, { target: 1, max: 1 })
}
