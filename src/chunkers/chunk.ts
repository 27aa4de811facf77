/**
 * What a chunker makes of a reading: spans of its text, in order, that together cover every
 * character. A chunk's text is exactly its slice of the reading's text; what helps to understand it
 * (heading path, a table's header) is kept beside it and never mixed in.
 */
import type { Reading, Span } from '#readers/reading.ts'

export interface Chunk extends Span {
  /** Number of the page on which the chunk begins; null when the format has no pages. */
  readonly page: number | null
  /** Label of that page: a sheet's or an attachment's name. */
  readonly pageLabel: string | null
  /** Titles of the headings above the chunk's first line, the most general first. */
  readonly headingPath: readonly string[]
  /** Header rows of the table in whose body the chunk begins; null elsewhere and for the first piece of a table. */
  readonly tableHeader: string | null
  /** In the tokenizer that the chunker was given. */
  readonly tokens: number
}

export interface ChunkOptions {
  /** Most units of a chunk; the unit is the chunker's own: tokens, sentences, characters, pages. */
  readonly units: number
  /** Units at the end of a chunk that the next one begins with; less than `units`. */
  readonly overlap: number
}

/** Tokens of a text. Takes time in proportion to its length, whatever the text is. */
export type CountTokens = (text: string) => number

export interface Chunker {
  readonly name: string
  /** What `units` and `overlap` count, in the plural: `tokens`. */
  readonly unit: string
  readonly defaults: ChunkOptions
  /** A largest value for `units` beyond which a request is refused. */
  readonly unitsMax: number
  chunk(reading: Reading, options: ChunkOptions, countTokens: CountTokens): readonly Chunk[]
}
