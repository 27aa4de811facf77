/**
 * How the formats are read, as docs/formats.md shows it: `formats.test.ts` proves each cell of the table of what
 * surrounds a text, for formats that the tests can write.
 */

/** Formats whose documents have more than their text, by the heads of the table. */
export const surroundingFormats = [
  'docx',
  'pptx',
  'xlsx',
  'odt',
  'ods',
  'odp',
  'doc',
  'xls',
  'ppt',
  'rtf',
  'pdf',
] as const

export type SurroundingFormat = (typeof surroundingFormats)[number]

/** `kept`: as text where it is; `marked`: with words that say what it is; `–`: the format has none. */
export type Treatment = 'kept' | 'marked' | 'left out' | '–'

export interface Surrounding {
  readonly what: string
  /** How it is marked in the text. */
  readonly mark: string
  readonly treatments: Readonly<Record<SurroundingFormat, Treatment>>
}

const formats = (...each: readonly Treatment[]): Surrounding['treatments'] =>
  Object.fromEntries(surroundingFormats.map((format, at) => [format, each[at] ?? '–'])) as Record<
    SurroundingFormat,
    Treatment
  >

const [kept, marked, out, none] = ['kept', 'marked', 'left out', '–'] as const

export const surroundings: readonly Surrounding[] = [
  {
    what: 'comments',
    mark: '`(Comment by Anna: …)` after the paragraph, the slide or the sheet, there `(Comment on B2 …)`; .doc at the end',
    treatments: formats(marked, marked, marked, marked, marked, marked, marked, out, out, marked, marked),
  },
  {
    what: 'footnotes and endnotes',
    mark: '`[1]` in the text and before the note, which follows its paragraph; RTF in brackets; .doc at the end',
    treatments: formats(marked, none, none, marked, none, none, kept, none, none, marked, kept),
  },
  {
    what: 'text boxes',
    mark: '',
    treatments: formats(kept, kept, kept, kept, kept, kept, kept, out, kept, kept, kept),
  },
  {
    what: 'heads and feet of pages',
    mark: '`(Page header: …)`, `(Page footer: …)`, each text once, without numbers of pages; in PDF unmarked',
    treatments: formats(marked, marked, marked, marked, marked, marked, marked, out, out, marked, kept),
  },
  {
    what: 'speaker notes',
    mark: '`Speaker notes: …`',
    treatments: formats(none, marked, none, none, none, marked, none, none, marked, none, none),
  },
  {
    what: 'hidden sheets and slides',
    mark: '`(This slide is hidden in the presentation.)`, `(This sheet is hidden in the workbook.)`',
    treatments: formats(none, marked, marked, none, marked, marked, none, marked, out, none, none),
  },
  {
    what: 'text that was inserted with changes tracked',
    mark: '',
    treatments: formats(kept, none, none, kept, none, none, kept, none, none, kept, none),
  },
  {
    what: 'text that was deleted with changes tracked',
    mark: '',
    treatments: formats(out, none, none, out, none, none, kept, none, none, out, none),
  },
  {
    what: 'data of charts',
    mark: 'a table',
    treatments: formats(kept, kept, kept, kept, kept, kept, out, out, out, out, none),
  },
  {
    what: 'alternative texts of pictures',
    mark: '',
    treatments: formats(kept, kept, kept, kept, kept, kept, out, out, out, out, out),
  },
  {
    what: 'formulas',
    mark: 'one line: `√(x+1)`, `∑_(i=1)^n i`; ODF as they were typed, PDF as letters',
    treatments: formats(kept, kept, none, kept, none, kept, out, none, out, out, kept),
  },
]

/** A kind of file, and the readers or kinds of models that read it. */
export interface FormatRow {
  readonly format: string
  readonly readers: readonly string[]
  readonly readAs: string
  /** What its pages are. */
  readonly pages: string
}

export const formatRows: readonly FormatRow[] = [
  {
    format: 'Plain text',
    readers: ['text'],
    readAs:
      'any encoding with a mark, UTF-8, UTF-16, ISO-2022-JP; else the most probable one, with a warning (Thai without a mark is not found)',
    pages: 'no',
  },
  {
    format: 'Markdown',
    readers: ['markdown'],
    readAs: 'headings, tables, code',
    pages: 'no',
  },
  {
    format: 'HTML, XHTML',
    readers: ['html'],
    readAs: 'headings, lists, tables, code; navigation and scripts left out',
    pages: 'no',
  },
  {
    format: 'PDF',
    readers: ['pdf'],
    readAs:
      'columns and paragraphs in reading order, also from right to left; headings by outline and size, aligned tables with or without lines, drop caps and hyphens joined, repeated page heads once, values of form fields, comments and text boxes after their page; scanned pages by text recognition',
    pages: 'pages',
  },
  {
    format: 'DOCX',
    readers: ['docx'],
    readAs: 'headings by style, lists, tables with merged cells, notes, charts’ data',
    pages: 'where they are known',
  },
  {
    format: 'PPTX',
    readers: ['pptx'],
    readAs: 'titles, texts, tables, charts’ data, speaker notes',
    pages: 'slides',
  },
  {
    format: 'XLSX, ODS',
    readers: ['xlsx', 'ods'],
    readAs:
      'tables with their header, numbers and dates as displayed, saved values of formulas, charts’ data, comments',
    pages: 'sheets, with their name',
  },
  {
    format: 'ODT, ODP',
    readers: ['odt', 'odp'],
    readAs: 'like DOCX and PPTX',
    pages: 'where they are known, slides',
  },
  {
    format: 'EPUB',
    readers: ['epub'],
    readAs: 'chapters in order',
    pages: 'chapters, with their title',
  },
  {
    format: 'RTF',
    readers: ['rtf'],
    readAs: 'paragraphs, lists, tables',
    pages: 'no',
  },
  {
    format: 'CSV, TSV',
    readers: ['csv'],
    readAs: 'one table',
    pages: 'no',
  },
  {
    format: 'JSON, JSONL',
    readers: ['json'],
    readAs: 'pretty-printed; one block for each line',
    pages: 'no',
  },
  {
    format: 'Word, Excel, PowerPoint 97 to 2003 (.doc, .xls, .ppt)',
    readers: ['doc', 'xls', 'ppt'],
    readAs:
      "like their successors; tables of .ppt are paragraphs, lists of .doc have no numbers. Read by Microsoft's specification; .doc and .ppt, and .msg, were tried on generated files only",
    pages: 'sheets, slides',
  },
  {
    format: 'Pages, Numbers, Keynote (since 2013)',
    readers: ['iwork'],
    readAs:
      'texts, tables of Numbers with dates and numbers as stored, titles of slides, speaker notes; headings of Pages are paragraphs. Otherwise the PDF preview, where the file has one. Tried on generated files and on those of numbers-parser only',
    pages: 'sheets, slides',
  },
  {
    format: 'Mail (EML, MSG)',
    readers: ['eml', 'msg'],
    readAs: 'head, text or HTML, attachments by their own readers',
    pages: 'attachments, with their name',
  },
  {
    format: 'Mail boxes (MBOX)',
    readers: ['archive'],
    readAs: 'each mail with its attachments',
    pages: 'mails',
  },
  {
    format: 'ZIP, 7z, TAR, TAR.GZ, GZ',
    readers: ['archive'],
    readAs:
      'the files in them by their own readers, as one document, up to three deep; 7z with LZMA, LZMA2, Deflate or stored',
    pages: 'files, with their name',
  },
  {
    format: 'FictionBook, DocBook, JATS, OPML',
    readers: ['structured-xml'],
    readAs: 'sections, lists, tables, code, notes in brackets; binaries and data about the file left out',
    pages: 'no',
  },
  {
    format: 'Jupyter notebooks',
    readers: ['notebook'],
    readAs: 'text, code and what it printed; pictures left out with a warning',
    pages: 'no',
  },
  {
    format: 'Subtitles (SRT, WebVTT)',
    readers: ['subtitles'],
    readAs: 'what is said, without tags',
    pages: 'minutes, with their time',
  },
  {
    format: 'Source code',
    readers: ['source'],
    readAs: 'unchanged, cut between lines',
    pages: 'no',
  },
  {
    format: 'PNG, JPEG, WebP, GIF, BMP',
    readers: ['picture'],
    readAs: "text recognition, or a multimodal model's transcription",
    pages: 'one',
  },
  {
    format: 'TIFF',
    readers: ['vision'],
    readAs: "a multimodal model's transcription",
    pages: 'one',
  },
  {
    format: 'Sound and video (MP3, WAV, M4A, MP4, OGG, FLAC, WebM)',
    readers: ['transcription'],
    readAs: 'what a [transcription model](documents.md#reader-chunker-embedder) of the gateway hears',
    pages: 'minutes, with their time',
  },
]
