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
