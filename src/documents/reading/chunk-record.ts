/** One line of `chunks.jsonl`. */
import type { Chunk } from '#chunkers/chunk.ts'

/** A chunk with its text. Unlike in `Chunk`, `start` and `end` count Unicode code points, as the API does. */
export interface ChunkRecord extends Chunk {
  readonly text: string
}
