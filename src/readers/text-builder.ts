/**
 * The one way in which readers build a Reading: block after block, in the order of the file.
 *
 * Lives here: normalising, separating blocks, Markdown for headings, lists and tables, exact marks, the limits on text
 * and pages. Not here: anything of a format. Invariant: every mark returned is the exact place of what it marks, the
 * text is well-formed and without control characters, and blocks are separated by one empty line.
 */
import { ReadFailure } from './reading.ts'
import type { HeadingMark, PageMark, Reading, ReadLimits, Span, TableMark } from './reading.ts'

const warningsMax = 50
const titleMax = 300
const markdownLevels = 6
/** Each heading carries the path to it, so a path without end would make the marks grow with the square of the text. */
const levelMax = 20

/** NUL and the other control characters without a meaning in text, byte order marks, hints where a word may be broken. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const unprintable = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\ufeff]/g
const otherLineEnds = /\r\n?|[\v\f\x85\u2028\u2029]/g
// oxlint-disable-next-line no-control-regex -- as above; without `g`, since it only asks
const needsCleaning = /[\0-\x08\v-\x1f\x7f-\x9f\u00ad\ufeff\u2028\u2029\ud800-\udfff]/

/** The same text, well-formed, with `\n` as its only line end and without control characters other than `\t`. */
export function cleanText(text: string): string {
  return needsCleaning.test(text) ? text.replace(otherLineEnds, '\n').replace(unprintable, '').toWellFormed() : text
}

/** The same text on one line, without spaces at its ends. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** Works line by line: a pattern would take quadratic time on long runs of spaces. */
function withoutEmptyRuns(text: string): string {
  return text.includes('\n')
    ? text
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
    : text
}

function cell(text: string): string {
  return /^[\w .,:;%()/+-]*$/.test(text) ? text.trim() : oneLine(text).replaceAll('|', '\\|')
}

/** Text that is complete in itself, with marks counted from its own beginning. */
export type TextPart = Pick<Reading, 'text' | 'headings' | 'tables' | 'code'>

/**
 * Collects blocks; `reading` ends it. Any method throws ReadFailure `too_complex` past the limits. Blocks without text
 * leave nothing behind, so a reader need not look before it calls.
 */
export class TextBuilder {
  readonly #limits: ReadLimits
  readonly #parts: string[] = []
  readonly #pages: PageMark[] = []
  readonly #headings: HeadingMark[] = []
  readonly #tables: TableMark[] = []
  readonly #code: Span[] = []
  readonly #warnings = new Set<string>()
  #length = 0
  #pageNumber = 0
  #pendingPage: { readonly number: number; readonly label: string | null } | null = null
  #lastWasItem = false
  #warningsLeftOut = 0

  constructor(limits: ReadLimits) {
    this.#limits = limits
  }

  /** UTF-16 units so far. */
  get length(): number {
    return this.#length
  }

  /** Pages begun so far, those without text included. */
  get pageCount(): number {
    return this.#pageNumber
  }

  /**
   * Begins the next page, slide, sheet or attachment; they are counted from 1. Text before the first call belongs to
   * the first page. A page without text gets a number but no mark.
   */
  page(label: string | null = null): void {
    this.#pageNumber += 1
    if (this.#pageNumber > this.#limits.pagesMax) {
      throw new ReadFailure(
        'too_complex',
        `The file has more than ${this.#limits.pagesMax} pages. Divide it into smaller files.`,
      )
    }
    this.#pendingPage = {
      number: this.#pageNumber,
      label: label === null ? null : oneLine(label).slice(0, titleMax).toWellFormed(),
    }
    this.#lastWasItem = false
  }

  /** A block of running text; its line ends are kept, runs of empty lines become one. */
  paragraph(text: string): void {
    this.#block(withoutEmptyRuns(cleanText(text)).trim())
  }

  /** A heading as one Markdown line. `level` counts from 1; what is below level 20 counts as that. */
  heading(level: number, title: string): void {
    const line = oneLine(title)
    if (line === '') return
    const exactLevel = Math.min(Math.max(1, Math.trunc(level)), levelMax)
    const start = this.#block(`${'#'.repeat(Math.min(exactLevel, markdownLevels))} ${line}`)
    this.#headings.push({ start, end: this.#length, level: exactLevel, title: line.slice(0, titleMax).toWellFormed() })
  }

  /** One item of a list, directly below the item before it. `depth` counts from 1; `marker` is `-`, `3.` or similar. */
  listItem(text: string, depth = 1, marker = '-'): void {
    const body = withoutEmptyRuns(cleanText(text)).trim()
    if (body === '') return
    const indent = '  '.repeat(Math.min(Math.max(depth, 1), 12) - 1)
    const below = `\n${indent}${' '.repeat(marker.length + 1)}`
    const item = `${indent}${oneLine(marker)} ${body.replaceAll('\n', below)}`
    this.#block(item, this.#lastWasItem ? '\n' : '\n\n')
    this.#lastWasItem = true
  }

  /** A GitHub Markdown table whose first row is the header. Rows may differ in length; line ends in cells become spaces. */
  table(rows: readonly (readonly string[])[]): void {
    let columns = 0
    for (const row of rows) columns = Math.max(columns, row.length)
    const [header, ...body] = rows
    if (header === undefined || columns === 0 || rows.every((row) => row.every((text) => text.trim() === ''))) return
    const line = (row: readonly string[]): string =>
      `| ${Array.from({ length: columns }, (_, column) => cell(row[column] ?? '')).join(' | ')} |`
    const start = this.#block(`${line(header)}\n|${' --- |'.repeat(columns)}`)
    const headerEnd = this.#length
    for (const row of body) this.#write(`\n${line(row)}`)
    this.#tables.push({ start, headerEnd, end: this.#length })
  }

  /** Code, kept line by line as it is. */
  code(text: string): void {
    const lines = cleanText(text)
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd()
    if (lines === '') return
    const start = this.#block(lines)
    this.#code.push({ start, end: this.#length })
  }

  /** Another text with its marks, moved to where it now begins. `part.text` is as `cleanText` leaves it. */
  append(part: TextPart): void {
    if (part.text.trim() === '') return
    const start = this.#block(part.text)
    const moved = <Mark extends Span>(mark: Mark): Mark => ({
      ...mark,
      start: mark.start + start,
      end: mark.end + start,
    })
    for (const heading of part.headings) this.#headings.push(moved(heading))
    for (const table of part.tables) this.#tables.push({ ...moved(table), headerEnd: table.headerEnd + start })
    for (const code of part.code) this.#code.push(moved(code))
  }

  /** One sentence for the record on what was left out and why; a repeated one counts once. */
  warn(sentence: string): void {
    const line = oneLine(sentence)
    if (this.#warnings.has(line)) return
    if (this.#warnings.size < warningsMax) this.#warnings.add(line)
    else this.#warningsLeftOut += 1
  }

  /** What was built. Throws ReadFailure `no_text` when there is none. The builder is not used after it. */
  reading(about: Pick<Reading, 'mediaType' | 'title' | 'stated'>): Reading {
    if (this.#length === 0) throw new ReadFailure('no_text', 'The file holds no text.')
    const title = about.title === null ? '' : oneLine(about.title).slice(0, titleMax).toWellFormed()
    const leftOut = this.#warningsLeftOut === 0 ? [] : [`${this.#warningsLeftOut} more warnings are not shown.`]
    return {
      text: this.#parts.join(''),
      pages: this.#pages,
      headings: this.#headings,
      tables: this.#tables,
      code: this.#code,
      title: title === '' ? null : title,
      mediaType: about.mediaType,
      stated: about.stated,
      warnings: [...this.#warnings, ...leftOut],
    }
  }

  /** Begins a block and answers where it begins. */
  #block(text: string, separator = '\n\n'): number {
    if (text === '') return this.#length
    if (this.#length > 0) this.#write(separator)
    const start = this.#length
    if (this.#pendingPage !== null) {
      this.#pages.push({ start: this.#pages.length === 0 ? 0 : start, ...this.#pendingPage })
      this.#pendingPage = null
    }
    this.#lastWasItem = false
    this.#write(text)
    return start
  }

  #write(text: string): void {
    this.#length += text.length
    if (this.#length > this.#limits.textMax) {
      throw new ReadFailure(
        'too_complex',
        `The file holds more than ${this.#limits.textMax} characters of text. Divide it into smaller files.`,
      )
    }
    this.#parts.push(text)
  }
}
