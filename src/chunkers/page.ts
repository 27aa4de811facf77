/**
 * Chunks of whole pages, slides or sheets. A format that has none is cut into pages of about the length
 * of a printed one. What no embedding model would take in one piece is cut as the token chunker does.
 */
import type { Reading, Span } from '#readers/reading.ts'
import type { Chunker, ChunkOptions } from './chunk.ts'
import type { Unit } from './pieces.ts'
import { withProvenance } from './provenance.ts'
import { partOf } from './reading-part.ts'
import { structuredSpans } from './structured-spans.ts'

/** Tokens of a page where there are none. */
const pageTokens = 800
/** Tokens of a chunk, however many pages are asked for. */
const chunkTokensMax = 4096
const headerTokensMax = 128

/** An overlap is whole pages. */
export const pageChunker: Chunker = {
  name: 'page',
  unit: 'pages',
  defaults: { units: 1, overlap: 0 },
  unitsMax: 64,
  chunk(reading, options, countTokens) {
    const unit = { sizeOf: countTokens, spaceJoins: true }
    const spans = grouped(pagesOf(reading, unit), options)
      .flatMap((span) => shortened(reading, span, unit))
      // Parts of a group that was too long may begin behind the overlap of the next one.
      .toSorted((a, b) => a.start - b.start)
    return withProvenance(reading, spans, {
      tokensOf: (_, text) => countTokens(text),
      repeatsHeader: (header) => countTokens(header) <= headerTokensMax,
    })
  },
}

/** Never empty for a text that is not; an empty page belongs to the one before it. */
function pagesOf(reading: Reading, unit: Unit): readonly Span[] {
  const { text, pages } = reading
  if (pages.length === 0) return structuredSpans(reading, { units: pageTokens, overlap: 0 }, unit)
  const spans: Span[] = []
  for (const [index, { start }] of pages.entries()) {
    const end = pages[index + 1]?.start ?? text.length
    const last = spans.at(-1)
    if (last === undefined) spans.push({ start: 0, end })
    else if (text.slice(start, end).trim() === '') spans[spans.length - 1] = { ...last, end }
    else spans.push({ start, end })
  }
  return spans.filter(({ start, end }) => start < end)
}

function grouped(pages: readonly Span[], { units, overlap }: ChunkOptions): readonly Span[] {
  const spans: Span[] = []
  for (let first = 0; first < pages.length; first += units - overlap) {
    const last = Math.min(first + units, pages.length) - 1
    spans.push({ start: pages[first]?.start ?? 0, end: pages[last]?.end ?? 0 })
    if (last === pages.length - 1) break
  }
  return spans
}

function shortened(reading: Reading, span: Span, unit: Unit): readonly Span[] {
  if (unit.sizeOf(reading.text.slice(span.start, span.end)) <= chunkTokensMax) return [span]
  const parts = structuredSpans(partOf(reading, span), { units: chunkTokensMax, overlap: 0 }, unit)
  return parts.map(({ start, end }) => ({ start: start + span.start, end: end + span.start }))
}
