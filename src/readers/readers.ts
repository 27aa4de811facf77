/**
 * Which reader takes which type of file: one row for each format. A reader is loaded when it is first needed, so that
 * a process that reads only text never loads the PDF engine.
 *
 * Invariant: a media type has at most one reader.
 */
import type { ReadAttachment } from './attachments.ts'
import { decodeText } from './text/charset.ts'
import { detectMediaType } from './types/media-type.ts'
import { isBinary, isRecording } from './types/signature.ts'
import {
  type Recogniser,
  type Reader,
  ReadFailure,
  type Reading,
  type ReadLimits,
  type ReadRequest,
} from './reading.ts'
import { sourceMediaTypes } from './types/text-type.ts'

interface ReaderRow {
  readonly name: string
  /** The first one is that of a file which was not looked at because its reader was named. */
  readonly mediaTypes: readonly [string, ...string[]]
  readonly isText?: true
  load(): Promise<Reader>
}

const rows: readonly ReaderRow[] = [
  {
    name: 'text',
    mediaTypes: ['text/plain'],
    isText: true,
    load: async () => (await import('./text/plain-text.ts')).plainTextReader,
  },
  {
    name: 'markdown',
    mediaTypes: ['text/markdown'],
    isText: true,
    load: async () => (await import('./text/markdown.ts')).markdownReader,
  },
  {
    name: 'html',
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    isText: true,
    load: async () => (await import('./html/html.ts')).htmlReader,
  },
  {
    name: 'csv',
    mediaTypes: ['text/csv', 'text/tab-separated-values'],
    isText: true,
    load: async () => (await import('./text/delimited.ts')).delimitedReader,
  },
  {
    name: 'json',
    mediaTypes: ['application/json', 'application/jsonl'],
    isText: true,
    load: async () => (await import('./text/json-text.ts')).jsonReader,
  },
  {
    name: 'source',
    mediaTypes: ['text/x-source', ...sourceMediaTypes],
    isText: true,
    load: async () => (await import('./text/source-code.ts')).sourceCodeReader,
  },
  {
    name: 'notebook',
    mediaTypes: ['application/x-ipynb+json'],
    isText: true,
    load: async () => (await import('./text/notebook.ts')).notebookReader,
  },
  {
    name: 'structured-xml',
    mediaTypes: ['application/docbook+xml', 'application/x-fictionbook+xml', 'application/jats+xml', 'text/x-opml'],
    isText: true,
    load: async () => (await import('./structured-xml.ts')).structuredXmlReader,
  },
  {
    name: 'subtitles',
    mediaTypes: ['application/x-subrip', 'text/vtt'],
    isText: true,
    load: async () => (await import('./text/subtitles.ts')).subtitlesReader,
  },
  { name: 'pdf', mediaTypes: ['application/pdf'], load: async () => (await import('./pdf/pdf.ts')).pdfReader },
  {
    name: 'docx',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    load: async () => (await import('./office/docx.ts')).docxReader,
  },
  {
    name: 'pptx',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    load: async () => (await import('./office/pptx.ts')).pptxReader,
  },
  {
    name: 'xlsx',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    load: async () => (await import('./office/xlsx.ts')).xlsxReader,
  },
  {
    name: 'odt',
    mediaTypes: ['application/vnd.oasis.opendocument.text'],
    load: async () => (await import('./odf/odt.ts')).odtReader,
  },
  {
    name: 'ods',
    mediaTypes: ['application/vnd.oasis.opendocument.spreadsheet'],
    load: async () => (await import('./odf/ods.ts')).odsReader,
  },
  {
    name: 'odp',
    mediaTypes: ['application/vnd.oasis.opendocument.presentation'],
    load: async () => (await import('./odf/odp.ts')).odpReader,
  },
  {
    name: 'epub',
    mediaTypes: ['application/epub+zip'],
    load: async () => (await import('./epub.ts')).epubReader,
  },
  { name: 'rtf', mediaTypes: ['application/rtf'], load: async () => (await import('./rtf/rtf.ts')).rtfReader },
  {
    name: 'picture',
    mediaTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp', 'image/tiff'],
    load: async () => (await import('./ocr/picture.ts')).pictureReader,
  },
  {
    name: 'eml',
    mediaTypes: ['message/rfc822'],
    load: async () => (await import('./eml.ts')).emlReader(readAttachment),
  },
  {
    name: 'msg',
    mediaTypes: ['application/vnd.ms-outlook'],
    load: async () => (await import('./legacy/msg.ts')).msgReader(readAttachment),
  },
  {
    name: 'doc',
    mediaTypes: ['application/msword'],
    load: async () => (await import('./legacy/doc.ts')).docReader,
  },
  {
    name: 'xls',
    mediaTypes: ['application/vnd.ms-excel'],
    load: async () => (await import('./legacy/xls.ts')).xlsReader,
  },
  {
    name: 'ppt',
    mediaTypes: ['application/vnd.ms-powerpoint'],
    load: async () => (await import('./legacy/ppt.ts')).pptReader,
  },
  {
    name: 'iwork',
    mediaTypes: ['application/vnd.apple.iwork'],
    load: async () => (await import('./iwork/iwork.ts')).iworkReader(readAttachment),
  },
  {
    name: 'archive',
    mediaTypes: [
      'application/zip',
      'application/x-tar',
      'application/gzip',
      'application/mbox',
      'application/x-7z-compressed',
    ],
    load: async () => (await import('./packed.ts')).packedReader(readAttachment),
  },
]

function readAttachment(file: Parameters<ReadAttachment>[0]): Promise<Reading> {
  return readFile({ ...file, reader: file.reader ?? 'auto' })
}

/** What a request may name: `auto` finds the reader by the file's content. */
export const readerNames: readonly string[] = ['auto', ...rows.map(({ name }) => name)]

/** The media types that a reader takes; none for a name that is not of a reader. */
export function mediaTypesOf(reader: string): readonly string[] {
  return rows.find(({ name }) => name === reader)?.mediaTypes ?? []
}

/** A file to read, and which reader of `readerNames` is to do it. */
export interface FileToRead {
  readonly bytes: Uint8Array
  readonly name: string
  readonly reader: string
  readonly limits: ReadLimits
  readonly recogniser?: Recogniser | undefined
  /** Files that this one is in; none when left out. */
  readonly depth?: number | undefined
  readonly beforePages?: ReadRequest['beforePages']
  /** Only the own text of an HTML page is wanted. */
  readonly mainText?: boolean | undefined
}

/**
 * Reads a file with the reader for its content, or with the one that was named. Rejects with ReadFailure: also when a
 * named reader cannot take this content. `reader` is a member of `readerNames`.
 */
export async function readFile({ reader, ...file }: FileToRead): Promise<Reading> {
  const { bytes, name } = file
  const { row, mediaType } = reader === 'auto' ? byContent(bytes, name) : byName(bytes, reader)
  const loaded = await row.load()
  return loaded.read({ ...file, mediaType })
}

function byContent(bytes: Uint8Array, name: string): { readonly row: ReaderRow; readonly mediaType: string } {
  const mediaType = detectMediaType(bytes, name)
  const row = rows.find(({ mediaTypes }) => mediaTypes.includes(mediaType))
  if (row !== undefined) return { row, mediaType }
  if (isRecording(mediaType))
    throw new ReadFailure(
      'unsupported_type',
      'Sound and video are read as files of their own, by a transcription model.',
    )
  throw new ReadFailure(
    'unsupported_type',
    `Files of the type ${mediaType} are not read. Save it as PDF and import that.`,
  )
}

function byName(bytes: Uint8Array, reader: string): { readonly row: ReaderRow; readonly mediaType: string } {
  const row = rows.find(({ name }) => name === reader)
  if (row === undefined) throw new Error(`There is no reader ${reader}.`)
  if (bytes.length === 0) throw new ReadFailure('no_text', 'The file is empty.')
  if (row.isText === true && isBinary(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
    throw new ReadFailure(
      'damaged',
      `The file is not text, so the reader ${reader} cannot read it. Leave the reader at auto.`,
    )
  }
  const [mediaType] = row.mediaTypes
  const isLines = reader === 'json' && !isOneValue(bytes)
  return { row, mediaType: isLines ? 'application/jsonl' : mediaType }
}

/** JSON lines and JSON have the same reader; what was not looked at may be either. */
function isOneValue(bytes: Uint8Array): boolean {
  const { text } = decodeText(bytes)
  const firstLine = text.trimStart().split('\n', 1)[0] ?? ''
  try {
    JSON.parse(firstLine)
    return firstLine.length >= text.trim().length
  } catch {
    return true
  }
}
