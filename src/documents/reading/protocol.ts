/**
 * What the server and a reading process say to each other. Files and texts go by path; only small facts are sent.
 *
 * In the directory of a document: `text` (UTF-8), `marks.json` (`Marks`), `chunks.jsonl` (a `ChunkRecord` for each
 * line), `page-3.png` of a page.
 */
import type { ResolvedChunker } from '#chunkers/chunkers.ts'
import type { ReadFailureCode, Reading, ReadLimits } from '#readers/reading.ts'

/** Contents of `marks.json`: a reading without its text. */
export type Marks = Omit<Reading, 'text'>

/** What is known of a reading without looking at its text. */
export interface ReadingFacts {
  readonly mediaType: string
  readonly title: string | null
  readonly warnings: readonly string[]
  /** Zero when the format has none. */
  readonly pages: number
  /** Unicode code points. */
  readonly characters: number
}

/** Each operation by name: what it is given, and what it answers. */
export interface Operations {
  /** Reads a file into `text` and `marks.json`. */
  readonly read: {
    readonly work: {
      readonly file: string
      readonly name: string
      /** One of `readerNames`. */
      readonly reader: string
      readonly limits: ReadLimits
      readonly directory: string
    }
    readonly answer: ReadingFacts
  }
  /** Cuts `text` into `chunks.jsonl`; with `semantic` into the passages that are to be joined by their vectors. */
  readonly chunk: {
    readonly work: {
      readonly directory: string
      readonly chunker: ResolvedChunker
    }
    readonly answer: { readonly count: number }
  }
  /** Draws a page of a PDF, counted from 1, as a PNG of at most `pixelsMax` pixels. */
  readonly render: {
    readonly work: {
      readonly file: string
      readonly directory: string
      readonly page: number
      readonly pixelsMax: number
    }
    readonly answer: { readonly image: string; readonly pages: number }
  }
  /** Makes `text` and `marks.json` of Markdown that a vision model has written, one text for each page. */
  readonly assemble: {
    readonly work: {
      readonly directory: string
      readonly texts: readonly string[]
      readonly mediaType: string
      readonly warnings: readonly string[]
      readonly limits: ReadLimits
    }
    readonly answer: ReadingFacts
  }
}

export type OperationName = keyof Operations
export type Work<Name extends OperationName> = Operations[Name]['work']
export type Answer<Name extends OperationName> = Operations[Name]['answer']

/** From the server: one at a time. */
export type Assignment = {
  readonly [Name in OperationName]: { readonly name: Name; readonly work: Work<Name> }
}[OperationName]

/** From the process: `ready` once, before anything else, then one for each assignment. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly answer: Answer<OperationName> }
  | {
      readonly kind: 'failed'
      readonly code: ReadFailureCode
      readonly message: string
      /** For the log, when the failure was not foreseen; null otherwise. */
      readonly detail: string | null
    }

/** Names of the files in the directory of a document. */
export const textFile = 'text'
export const marksFile = 'marks.json'
export const chunksFile = 'chunks.jsonl'
