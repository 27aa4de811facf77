/**
 * Chunks of a limited number of sentences. A heading, an item of a list, a row of a table and a line of code
 * count as a sentence each; a table or a text without an end counts one for each 1,000 characters.
 */
import type { Reading } from '#readers/reading.ts'
import { characters } from './character.ts'
import { cheapestGroups } from './cheapest-groups.ts'
import type { Chunker } from './chunk.ts'
import { piecesOf, type Piece } from './pieces.ts'
import { withProvenance } from './provenance.ts'
import { partOf } from './reading-part.ts'
import { planningWindows } from './planning-windows.ts'

const sentenceMax = 1000
const headerTokensMax = 128

/** An overlap is whole sentences: exactly the number asked for where the chunk before has more. */
export const sentenceChunker: Chunker = {
  name: 'sentence',
  unit: 'sentences',
  defaults: { units: 8, overlap: 0 },
  unitsMax: 256,
  chunk(reading, limits, countTokens) {
    const sentences = sentencesOf(reading)
    let begun = 0
    const spans = cheapestGroups(sentences, limits).map(({ from, to }) => {
      const first = from === 0 ? 0 : Math.max(from - limits.overlap, begun + 1)
      begun = first
      return { start: sentences[first]?.start ?? 0, end: sentences[to - 1]?.end ?? 0 }
    })
    return withProvenance(reading, spans, {
      tokensOf: (_, text) => countTokens(text),
      repeatsHeader: (header) => countTokens(header) <= headerTokensMax,
    })
  },
}

/** Bricks of size 1. What was broken into words for its length is put together again up to the longest sentence. */
function sentencesOf(reading: Reading): readonly Piece[] {
  const sentences: Piece[] = []
  for (const { start: origin, end: limit } of planningWindows(reading)) {
    const part = partOf(reading, { start: origin, end: limit })
    for (const piece of piecesOf(part, { units: 2 * sentenceMax, overlap: 0 }, characters)) {
      const last = sentences.at(-1)
      const [start, end] = [origin + piece.start, origin + piece.end]
      if (last !== undefined && piece.kind === 'word' && end - last.start <= sentenceMax) {
        sentences[sentences.length - 1] = { ...last, end }
      } else sentences.push({ ...piece, start, end, size: 1, spaceSize: 0, headerSize: 0 })
    }
  }
  return sentences
}
