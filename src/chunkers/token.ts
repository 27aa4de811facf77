/** Chunks of a limited number of tokens, cut at the best boundaries. The default. */
import type { Chunker } from './chunk.ts'
import { isHeaderRepeated } from './pieces.ts'
import { withProvenance } from './provenance.ts'
import { structuredSpans } from './structured-spans.ts'

/** A chunk and the table header beside it take at most `units` tokens, but where a single code point takes more. */
export const tokenChunker: Chunker = {
  name: 'token',
  unit: 'tokens',
  defaults: { units: 256, overlap: 0 },
  unitsMax: 8192,
  chunk(reading, limits, countTokens) {
    const unit = { sizeOf: countTokens, spaceJoins: true }
    return withProvenance(reading, structuredSpans(reading, limits, unit), {
      tokensOf: ({ size }) => size,
      repeatsHeader: (header) => isHeaderRepeated(header, limits, unit),
    })
  },
}
