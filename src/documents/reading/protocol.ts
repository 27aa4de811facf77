/**
 * What the server and a reading process say to each other. Files and texts go by path; only small facts are sent.
 *
 * The directory of a document has `chunks.jsonl` (a `ChunkRecord` for each line), `pages.json` (a list of `PageRecord`),
 * `page-3.png` of a page.
 */
import type { ResolvedChunker } from '#chunkers/chunkers.ts'
import type { ResourceFault } from '#lib/resource-fault.ts'
import type { ExternalAnswer } from '#readers/external/external-answer.ts'
import type { OcrOptions } from '#readers/ocr/tesseract.ts'
import type { PartLimits, RecordingPart } from '#readers/media/divide-recording.ts'
import type { Cue } from '#readers/text/subtitles.ts'
import type { PageMark, ReadFailureCode, ReadLimits } from '#readers/reading.ts'
import type { UnpackedImport, UnpackWork } from '../unpacking/unpack-import.ts'

/** The facts about a reading that are known once it has been cut, without looking at its text. */
export interface ReadingSummary {
  readonly mediaType: string
  readonly title: string | null
  /** What else the file states about itself. */
  readonly stated?: Readonly<Record<string, unknown>> | undefined
  readonly warnings: readonly string[]
  /** Zero when the format has none. */
  readonly pages: number
  /** Unicode code points. */
  readonly characters: number
  readonly chunks: number
}

/** Each operation by name: what it is given, and what it answers. */
export interface Operations {
  /** Takes an import request apart. */
  readonly unpack: { readonly work: UnpackWork; readonly answer: UnpackedImport }
  /** Finds out the media type of a file. */
  readonly detect: {
    readonly work: { readonly file: string; readonly name: string }
    readonly answer: { readonly mediaType: string }
  }
  /** Reads a file and cuts its text into `chunks.jsonl`. */
  readonly read: {
    readonly work: {
      readonly file: string
      readonly name: string
      /** One of `readerNames`. */
      readonly reader: string
      /** The file is what a reader on another server has answered. */
      readonly answer?: ExternalAnswer | undefined
      readonly limits: ReadLimits
      /** Reads of an HTML page only its own text. */
      readonly mainText?: boolean | undefined
      readonly chunker: ResolvedChunker
      readonly directory: string
      /** How the text of pictures is recognised; absent where it is not. */
      readonly ocr?: OcrOptions | undefined
    }
    readonly answer: ReadingSummary
  }
  /** Draws a page of a PDF, counted from 1, as a PNG of at most `pixelsMax` pixels. */
  readonly render: {
    readonly work: {
      readonly file: string
      readonly directory: string
      readonly page: number
      readonly pixelsMax: number
      /** A part of the page's text to be marked in the picture. */
      readonly passage?: string
      /** Finds the words of a passage on a page that is a picture. */
      readonly ocr?: OcrOptions | undefined
    }
    readonly answer: { readonly image: string; readonly pages: number }
  }
  /** Cuts a recording into parts that a model takes, without decoding it. */
  readonly divide: {
    readonly work: { readonly file: string; readonly mediaType: string; readonly limits: PartLimits }
    readonly answer: { readonly parts: readonly RecordingPart[] }
  }
  /** The same for what a model has written: Markdown, one text for each page, or what was said at which time. */
  readonly assemble: {
    readonly work: {
      readonly directory: string
      readonly texts: readonly string[] | readonly Cue[]
      readonly mediaType: string
      readonly warnings: readonly string[]
      readonly limits: ReadLimits
      readonly chunker: ResolvedChunker
    }
    readonly answer: ReadingSummary
  }
}

export type OperationName = keyof Operations
export type Work<Name extends OperationName> = Operations[Name]['work']
export type Answer<Name extends OperationName> = Operations[Name]['answer']

/** From the server: one at a time. */
export type Assignment = {
  readonly [Name in OperationName]: { readonly name: Name; readonly work: Work<Name> }
}[OperationName]

/** From the process: `ready` once, before anything else, then one end for each assignment. */
export type Message =
  | { readonly kind: 'ready' }
  /** The text has been read and is being cut. */
  | { readonly kind: 'chunking'; readonly pages: number }
  /** What is about to be worked on and has time of its own. */
  | { readonly kind: 'working'; readonly pages?: number; readonly pictures?: number; readonly characters?: number }
  | { readonly kind: 'done'; readonly answer: Answer<OperationName> }
  /** The machine has run out of something: the file is not at fault. */
  | { readonly kind: 'exhausted'; readonly fault: ResourceFault; readonly detail: string }
  | {
      readonly kind: 'failed'
      readonly code: ReadFailureCode
      readonly message: string
      /** For the log, when the failure was not foreseen; null otherwise. */
      readonly detail: string | null
    }

/** Name of the file with the chunks in the directory of a document. */
export const chunksFile = 'chunks.jsonl'

/** Name of the file that says where pages begin. */
export const pagesFile = 'pages.json'

/** Where a page begins, in Unicode code points; as in `PageMark` otherwise. */
export type PageRecord = PageMark
