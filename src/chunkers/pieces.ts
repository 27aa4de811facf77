/**
 * A reading in measured pieces, small enough that chunks can be put together from them: sentences, rows,
 * lines of code, and parts of what is too long. Pieces cover every character, in order.
 */
import type { Reading, Span } from '#readers/reading.ts'
import { splitSpan, type Measure } from './split-span.ts'
import type { Item } from './cheapest-groups.ts'
import type { ChunkOptions, CountTokens } from './chunk.ts'
import { boundariesOf, type Region, type Boundary, type BoundaryKind } from './boundaries.ts'
import { tableHeaders } from './table-headers.ts'

/** What a chunker counts in. */
export interface Unit {
  /** Size of a text. Two adjacent texts have exactly the sum of their sizes; in tokens, about the sum. */
  readonly sizeOf: CountTokens
  /** Whether a space counts with the word behind it, as in the vocabularies of language models. */
  readonly spaceJoins: boolean
}

/** A item with its place. Its size is without a space at its end that joins the next word. */
export interface Piece extends Span, Item {
  readonly kind: BoundaryKind
}

/** What a cut at a boundary of each kind costs, where one more chunk costs 1. Found with bench/chunking.ts. */
const penalties: Record<BoundaryKind, number> = {
  // Dearer than two chunks can cost together: always cut at.
  source: -8,
  section: 0,
  page: 0.3,
  block: 0.3,
  row: 0.4,
  line: 0.5,
  sentence: 0.8,
  word: 4,
  keepWithNext: 100,
}

/** Pieces are at most a half of a chunk, so that a heading always finds room beside what follows it. */
const piecesPerChunk = 2
const partsPerChunk = 16

/** All pieces of a reading. None is larger than what fits into a chunk, but a single code point. */
export function piecesOf(reading: Reading, limits: ChunkOptions, unit: Unit): readonly Piece[] {
  const { text } = reading
  const measure = measureOf(text, unit)
  const boundaries = boundariesOf(reading)
  const ends = boundaries.map((_, index) => boundaries[index + 1]?.offset ?? text.length)
  const sizes = boundaries.map(({ offset }, index) => measure({ start: offset, end: ends[index] ?? offset }))
  const regions = regionSizes(boundaries, sizes)
  const headerAt = tableHeaders(reading, (header) => isHeaderRepeated(header, limits, unit))
  return boundaries.flatMap((boundary, index): readonly Piece[] => {
    const span = { start: boundary.offset, end: ends[index] ?? boundary.offset }
    const repeated = headerAt(boundary.offset)
    const header = repeated === null ? 0 : unit.sizeOf(`${repeated}\n`)
    const free = limits.units - limits.overlap - header
    const whole = { ...span, size: sizes[index] ?? 0 }
    const partLimits = {
      target: Math.max(1, Math.floor(free / partsPerChunk)),
      max: Math.max(1, Math.floor(free / piecesPerChunk)),
    }
    const parts = whole.size > partLimits.max ? splitSpan(text, span, measure, partLimits) : [whole]
    const kind = kindOf(boundary, regions, limits.units - limits.overlap)
    return parts.map((part, place) => ({
      ...part,
      kind: place === 0 ? kind : 'word',
      penalty: penalties[place === 0 ? kind : 'word'],
      spaceSize: unit.spaceJoins && hasLooseSpace(text, part) ? 1 : 0,
      headerSize: header,
    }))
  })
}

/** Whether each further piece of a table repeats its header: it does where that leaves half of a chunk to the rows. */
export function isHeaderRepeated(header: string, { units, overlap }: ChunkOptions, { sizeOf }: Unit): boolean {
  return sizeOf(`${header}\n`) <= (units - overlap) / 2
}

/** Size of a part of the text, without a space at its end that joins the next word. */
export function measureOf(text: string, { sizeOf, spaceJoins }: Unit): Measure {
  return (span) => sizeOf(text.slice(span.start, spaceJoins && hasLooseSpace(text, span) ? span.end - 1 : span.end))
}

/** Whether the span ends with one space behind something visible. */
function hasLooseSpace(text: string, { start, end }: Span): boolean {
  return end - start > 1 && text.charCodeAt(end - 1) === 32 && !/\s/.test(text.charAt(end - 2))
}

function regionSizes(boundaries: readonly Boundary[], sizes: readonly number[]): ReadonlyMap<Region, number> {
  const regions = new Map<Region, number>()
  for (const [index, { region }] of boundaries.entries()) {
    if (region !== null) regions.set(region, (regions.get(region) ?? 0) + (sizes[index] ?? 0))
  }
  return regions
}

/** A table or code that fits into one chunk is kept together where that is possible at all. */
function kindOf({ kind, region }: Boundary, regions: ReadonlyMap<Region, number>, free: number): BoundaryKind {
  if (kind !== 'row' || region === null || (regions.get(region) ?? 0) > free) return kind
  return region.kind === 'table' ? 'word' : 'sentence'
}
