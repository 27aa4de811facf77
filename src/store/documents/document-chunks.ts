/** Chunks of a document, as they are stored and as they are found again, and stretches of its text. */

export interface NewChunk {
  /** From 0, without gaps. */
  readonly ordinal: number
  /** Offsets in the document's text, in Unicode code points. */
  readonly start: number
  readonly end: number
  readonly page: number | null
  readonly pageLabel: string | null
  readonly headingPath: readonly string[]
  readonly tableHeader: string | null
  readonly tokens: number
  readonly text: string
  readonly vector: Float32Array
}

/** Where a page, slide, sheet or attachment begins in the text of a document. */
export interface PageStart {
  /** Counted from 1. */
  readonly number: number
  /** Name of a sheet or an attachment. */
  readonly label: string | null
  /** In Unicode code points. */
  readonly start: number
}

export interface StoredChunk extends Omit<NewChunk, 'vector'> {
  /** Stable for a version: of the document's id, its version and the ordinal. */
  readonly id: string
  readonly documentId: string
}

/** A stretch of a document's text, in Unicode code points, or one of its pages. */
export type Place = { readonly start: number; readonly end: number } | { readonly page: number }

export interface StretchQuery {
  readonly place: Place
  readonly chunksMax: number
}

/** The visible version of a document, with the chunks that hold a stretch of its text. */
export interface StretchOfDocument {
  readonly id: string
  readonly name: string
  readonly mediaType: string | null
  /** Hash of the bytes of the visible version, in lower-case hex. */
  readonly sha256: string
  /** Length of the text. */
  readonly length: number
  readonly pages: number
  /** The one that was asked for; null when there is none, and for a stretch by offsets. */
  readonly page: PageStart | null
  /** Bounds of what was asked for, within the text. */
  readonly start: number
  readonly end: number
  /** In the order of the text, from its first character on; as many as were asked for at most. */
  readonly chunks: readonly StoredChunk[]
}
