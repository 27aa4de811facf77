/**
 * Reads PDFs that have a text layer: pages, headings, paragraphs, lists and tables in reading order.
 *
 * Lives here: the steps from the file to the reading. How pages are taken apart is in `pdf/`. Pictures are not looked
 * at: for scans, `renderPdfPage` (pdf/render.ts) makes pictures that a model can read.
 */
import { annotationsOf } from './annotations.ts'
import { blocksOf, markerOf } from './blocks.ts'
import type { Block, TextBlock } from './blocks.ts'
import { flowText, vocabularyOf } from './flow.ts'
import type { Vocabulary } from './flow.ts'
import { pageFragments, type Fragment } from './fragments.ts'
import { openForm } from './form-values.ts'
import { headingsOf } from './headings.ts'
import type { Headings } from './headings.ts'
import { lineText, linesOf } from './lines.ts'
import type { Line } from './lines.ts'
import { outlineOf } from './outline.ts'
import { openPage, openPdf, readText, withEngine } from './pdfium.ts'
import type { PdfDocument } from './pdfium.ts'
import { recognisedFragments } from './recognised-page.ts'
import { runningLines } from './running-lines.ts'
import type { PageLines } from './running-lines.ts'
import { withTables } from './tables.ts'
import { recognisedWarning } from '../ocr/picture.ts'
import {
  type Recogniser,
  ReadFailure,
  type Reader,
  type ReadLimits,
  type ReadRequest,
  type Reading,
} from '../reading.ts'
import { statedTexts } from '../stated.ts'
import { TextBuilder } from '../text-builder.ts'

const mediaType = 'application/pdf'
const mostPagesNamed = 12

/** What was found on the pages before their lines are put together. */
interface Extracted {
  readonly pages: readonly PageLines[]
  /** What was filled into the form on each page, and written onto it. */
  readonly values: readonly (readonly string[])[]
  /** Numbers of pages, counted from 1. */
  readonly damaged: readonly number[]
  readonly pictures: readonly number[]
  readonly unknownLetters: readonly number[]
  /** Those whose text was recognised. */
  readonly recognised: readonly number[]
}

/** Reads PDFs by their text layer. */
export const pdfReader: Reader = {
  name: 'pdf',
  read: (request) => withEngine(() => readPdf(request)),
}

async function readPdf({ bytes, limits, recogniser, beforePages }: ReadRequest): Promise<Reading> {
  using document = await openPdf(bytes)
  checkPageCount(document.pageCount, limits)
  await beforePages?.(document.pageCount)
  const found = extract(document, limits)
  const extracted = recogniser === undefined ? found : await withRecognised(document, found, recogniser)
  checkText(extracted)
  const running = runningLines(extracted.pages)
  const blocks = extracted.pages.map(({ lines }) => blocksOf(withTables(lines.filter((line) => !running.has(line)))))
  const headings = headingsOf(blocks, outlineOf(document))
  const vocabulary = vocabularyOf(extracted.pages.flatMap(({ lines }) => lines.map(inlineText)))
  const builder = new TextBuilder(limits)
  for (const [at, page] of blocks.entries()) {
    builder.page()
    for (const block of page) write(builder, block, headings, vocabulary)
    builder.paragraph((extracted.values[at] ?? []).join('\n'))
  }
  warnAll(builder, extracted)
  if (running.size > 0) builder.warn('Lines that come again on most pages, such as page numbers, were kept only once.')
  return builder.reading({ mediaType, title: titleOf(document, blocks, headings), stated: statedIn(document) })
}

function checkPageCount(pageCount: number, { pagesMax }: ReadLimits): void {
  if (pageCount === 0) throw new ReadFailure('damaged', 'The PDF has no pages. Save or download it again.')
  if (pageCount > pagesMax) {
    throw new ReadFailure(
      'too_complex',
      `The PDF has ${pageCount} pages, and at most ${pagesMax} are read. Divide it into smaller files.`,
    )
  }
}

function extract(document: PdfDocument, { textMax }: ReadLimits): Extracted {
  using form = openForm(document)
  const pages: PageLines[] = []
  const values: (readonly string[])[] = []
  const damaged: number[] = []
  const pictures: number[] = []
  const unknownLetters: number[] = []
  // Spaces that the engine adds between words are counted too, so a little more than the text may have.
  let charactersLeft = 2 * textMax
  for (let index = 0; index < document.pageCount; index += 1) {
    using page = openPage(document, index)
    if (page === null) {
      damaged.push(index + 1)
      pages.push({ lines: [], height: 0 })
      values.push([])
      continue
    }
    const text = pageFragments(page, charactersLeft)
    charactersLeft -= text.fragments.reduce((sum, fragment) => sum + fragment.text.length, 0)
    if (text.fragments.length === 0 && page.pdfium.call.FPDFPage_CountObjects(page.pointer) > 0)
      pictures.push(index + 1)
    if (text.unknownLetters > 0) unknownLetters.push(index + 1)
    values.push([...(form?.valuesOf(page) ?? []), ...annotationsOf(page)])
    pages.push({ lines: linesOf(text.fragments), height: page.height })
  }
  return { pages, values, damaged, pictures, unknownLetters, recognised: [] }
}

/** The pages that are pictures with what was recognised on them. */
async function withRecognised(document: PdfDocument, found: Extracted, recogniser: Recogniser): Promise<Extracted> {
  if (recogniser.besideTextOnly && found.pictures.length === found.pages.length) return found
  const pages = [...found.pages]
  const recognised: number[] = []
  const pictures: number[] = []
  let hasBudget = true
  for (const number of found.pictures) {
    using page = openPage(document, number - 1)
    const fragments: readonly Fragment[] | null =
      page === null || !hasBudget ? null : await recognisedFragments(page, recogniser)
    hasBudget = fragments !== null
    if (page === null || fragments === null || fragments.length === 0) pictures.push(number)
    else {
      recognised.push(number)
      pages[number - 1] = { lines: linesOf(fragments), height: page.height }
    }
  }
  return { ...found, pages, pictures, recognised }
}

function checkText({ pages, values, damaged, pictures }: Extracted): void {
  if (pages.some(({ lines }, at) => lines.length > 0 || values[at]?.length !== 0)) return
  if (damaged.length > 0) {
    throw new ReadFailure('damaged', 'The pages of the PDF cannot be read. Save or download it again.')
  }
  throw new ReadFailure(
    'no_text',
    pictures.length > 0
      ? 'The PDF holds only pictures of pages, no text. Import it with a reader that uses a vision model, or run a text recognition on it first.'
      : 'The PDF holds no text.',
  )
}

function inlineText(line: Line): string {
  return line.hyphened ? '' : lineText(line)
}

function write(builder: TextBuilder, block: Block, headings: Headings, vocabulary: Vocabulary): void {
  if (block.kind === 'table') {
    builder.table(block.rows)
    return
  }
  const text = flowText(block.lines, vocabulary)
  const level = headings.get(block)
  const marker = markerOf(text)
  if (level !== undefined) builder.heading(level, text)
  else if (marker === '') builder.paragraph(text)
  else builder.listItem(text.slice(marker.length), 1, /[\p{L}\p{N}]/u.test(marker) && marker !== 'o' ? marker : '-')
}

/** An entry of the file's information dictionary; the empty text when it has none. */
function entryOf({ pdfium, pointer }: PdfDocument, name: string): string {
  const { call } = pdfium
  const tag = pdfium.scratch + 2048
  pdfium.bytes().set(new TextEncoder().encode(`${name}\0`), tag)
  return readText(pdfium, (place, size) => call.FPDF_GetMetaText(pointer, tag, place, Math.min(size, 2048)))
}

/** Entries (ISO 32000-1, 14.3.3) by the names that metadata has for them. */
const statedEntries = {
  author: 'Author',
  subject: 'Subject',
  keywords: 'Keywords',
  created: 'CreationDate',
  modified: 'ModDate',
}

function statedIn(document: PdfDocument): Readonly<Record<string, unknown>> {
  return statedTexts(statedEntries, (name) => {
    const text = entryOf(document, name)
    return name.endsWith('Date') ? isoOf(text) : text
  })
}

/** A date of a PDF (D:20240131120000+01'00') in the form of all others; what is none is left out. */
function isoOf(date: string): string {
  const [, day, time = '', zone = ''] = /^D?:?(\d{8})(\d{6})?(Z|[+-]\d{2}'?\d{2})?/.exec(date.trim()) ?? []
  if (day === undefined) return ''
  const shown = day.replace(/(\d{4})(\d{2})(\d{2})/, '$1-$2-$3')
  if (time === '') return shown
  return `${shown}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}${zone.replaceAll("'", '').replace(/(\d{2})(\d{2})$/, '$1:$2')}`
}

/** The title in the file itself, unless that is the name of a program or a file; else its first large heading. */
function titleOf(document: PdfDocument, pages: readonly (readonly Block[])[], headings: Headings): string | null {
  const told = entryOf(document, 'Title').trim()
  const isName = /^untitled$|^microsoft (?:word|powerpoint|excel)|\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|tex|dvi|ps|odt)$/i
  if (told !== '' && !isName.test(told)) return told
  const first = (pages[0] ?? []).find((block): block is TextBlock => block.kind === 'text' && headings.get(block) === 1)
  return first === undefined ? null : flowText(first.lines, new Set())
}

function warnAll(builder: TextBuilder, { damaged, pictures, unknownLetters, recognised }: Extracted): void {
  if (recognised.length > 0) builder.warn(`${named(recognised)} without a text layer; the text ${recognisedWarning}`)
  if (pictures.length > 0) {
    builder.warn(
      `${named(pictures)} without a text layer, for example scanned, and left out; a vision model, or text recognition where it is installed (docs/formats.md), can read such pages.`,
    )
  }
  if (damaged.length > 0) builder.warn(`${named(damaged)} damaged and left out.`)
  if (unknownLetters.length > 0) {
    builder.warn(`${named(unknownLetters)} set in fonts that do not tell their letters; some letters may be missing.`)
  }
}

function named(pages: readonly number[]): string {
  const [only] = pages
  if (pages.length === 1) return `Page ${only} is`
  const shown = pages.slice(0, mostPagesNamed).join(', ')
  return pages.length > mostPagesNamed ? `${pages.length} pages (${shown} and others) are` : `Pages ${shown} are`
}
