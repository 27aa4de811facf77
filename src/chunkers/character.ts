/** Chunks of a limited number of characters (Unicode code points), cut at the best boundaries. */
import type { Chunker } from './chunk.ts'
import { codePointLength } from './code-points.ts'
import { isHeaderRepeated, type Unit } from './pieces.ts'
import { withProvenance } from './provenance.ts'
import { structuredSpans } from './structured-spans.ts'

/** Exact: code points add up. */
export const characters: Unit = { sizeOf: codePointLength, spaceJoins: false }

/** A chunk and the table header beside it take at most `units` code points. */
export const characterChunker: Chunker = {
  name: 'character',
  unit: 'characters',
  defaults: { units: 1000, overlap: 0 },
  unitsMax: 32_768,
  chunk(reading, limits, countTokens) {
    return withProvenance(reading, structuredSpans(reading, limits, characters), {
      tokensOf: (_, text) => countTokens(text),
      repeatsHeader: (header) => isHeaderRepeated(header, limits, characters),
    })
  },
}
