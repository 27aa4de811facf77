/**
 * What a reader makes of a file: one text, and marks that say where in the source each part of it
 * comes from. All offsets are UTF-16 positions in `text`; no mark splits a surrogate pair.
 *
 * Readers run in a process of their own (src/documents/reading/), so they may be slow, large, or
 * fail; they import nothing but `lib` and their format's library.
 */

import type { PixelGrid } from '#lib/png-pixels.ts'

/** A part of the text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Where a page, slide, sheet or attached message begins. Ascending by `start`; the first one starts at 0. */
export interface PageMark {
  readonly start: number
  /** Counted from 1. */
  readonly number: number
  /** Name of a sheet or an attachment; null for numbered pages and slides. */
  readonly label: string | null
}

/** A heading's own line. Ascending by `start`. Levels count from 1, the most general. */
export interface HeadingMark extends Span {
  readonly level: number
  /** As shown in a heading path: without markup, one line. */
  readonly title: string
}

/** A Markdown table. `start` to `headerEnd` are its header row and the rule below it. */
export interface TableMark extends Span {
  readonly headerEnd: number
}

export interface Reading {
  /** Well-formed UTF-16 without NUL, lines end with `\n`, blocks are separated by an empty line. */
  readonly text: string
  /** Empty when the format has no pages. */
  readonly pages: readonly PageMark[]
  readonly headings: readonly HeadingMark[]
  readonly tables: readonly TableMark[]
  /** Code, which is better cut between its lines than between its sentences. */
  readonly code: readonly Span[]
  /** The title that the file itself states; null when it states none. */
  readonly title: string | null
  /** What else the file states about itself, for example its author; left out when it states nothing. */
  readonly stated?: Readonly<Record<string, unknown>> | undefined
  /** Which was detected, for example `application/pdf`. */
  readonly mediaType: string
  /** One sentence each: what was left out and why, for example a picture without text. */
  readonly warnings: readonly string[]
}

/** A word and its place in pixels of the picture, as it was turned; y grows downwards. */
export interface RecognisedWord {
  readonly text: string
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** The line that it is on, counted through the picture. */
  readonly line: number
  /** The paragraph, counted through the picture. */
  readonly paragraph: number
  /** From 0 to 100. */
  readonly confidence: number
}

export interface RecognisedPicture {
  /** In reading order; empty when there is no text to be read. */
  readonly words: readonly RecognisedWord[]
  /** Quarter turns, clockwise, after which the text was upright. */
  readonly turn: number
}

export interface Recogniser extends Disposable {
  readonly besideTextOnly: boolean
  /** The text of a grid of pixels or of a PNG, JPEG, WebP, GIF or BMP; null when the file had its number of pictures. */
  recognise(picture: PixelGrid | Uint8Array): Promise<RecognisedPicture | null>
}

/** What one call may cost; a reader that notices stops with `too_complex` before the process is ended from outside. */
export interface ReadLimits {
  /** Characters of text. */
  readonly textMax: number
  readonly pagesMax: number
  /** Bytes that all entries of an archive may have together, unpacked. */
  readonly unpackedBytesMax: number
}

export interface ReadRequest {
  readonly bytes: Uint8Array
  /** The file's name: a hint for source code and plain text, never trusted for what the content is. */
  readonly name: string
  readonly mediaType: string
  readonly limits: ReadLimits
  /** Recognises the text of pictures; absent where that is off or not installed. */
  readonly recogniser?: Recogniser | undefined
  /** Files that this one is in; none when left out. */
  readonly depth?: number | undefined
  /** Called and waited for before many pages are read, which has time of its own. */
  readonly beforePages?: ((pages: number) => Promise<void>) | undefined
  /** It is a page of the web, of which only its own text is wanted. */
  readonly mainText?: boolean | undefined
}

/** Reads one or more media types; rejects with ReadFailure. */
export interface Reader {
  /** Stable, shown in the record: `pdf`, `docx`. */
  readonly name: string
  read(request: ReadRequest): Promise<Reading>
}

/** Why a file could not be read. Stable: part of the document record. */
export type ReadFailureCode =
  /** The file holds no text, for example a scan. */
  | 'no_text'
  /** It needs a password. */
  | 'encrypted'
  /** Not what its type promises, or cut off. */
  | 'damaged'
  /** A type that no reader takes. */
  | 'unsupported_type'
  /** More than the limits allow: unpacked size, nesting, pages, text, time or memory. */
  | 'too_complex'

export class ReadFailure extends Error {
  readonly code: ReadFailureCode

  /** `message` is shown to the user: what is wrong with the file and what to do; no path, no text of the file. */
  constructor(code: ReadFailureCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}
