/**
 * Markdown: the text is kept as it is, and one pass over its lines marks headings, fenced code and tables.
 *
 * CommonMark 0.31 for headings (4.2, 4.3) and fences (4.5), GitHub's specification for tables (4.10). Containers
 * (quotes, list items) are not looked into. Also for text that a vision model has written: `markdownPart`.
 */
import { decodeText } from './charset.ts'
import { frontMatter } from '../stated.ts'
import type { HeadingMark, Reader, Span, TableMark } from '../reading.ts'
import { cleanText, TextBuilder, type TextPart } from '../text-builder.ts'

interface Line extends Span {
  /** Without the line end; at most three leading spaces are cut off, as Markdown does. */
  readonly text: string
}

interface Fence {
  readonly start: number
  readonly character: string
  readonly length: number
}

function linesOf(text: string): readonly Line[] {
  let start = 0
  return text.split('\n').map((line) => {
    const span = { start, end: start + line.length, text: line.replace(/^ {1,3}(?! )/, '').trimEnd() }
    start += line.length + 1
    return span
  })
}

/**
 * A heading's text as a reader sees it: links by their text, without marks of emphasis and code. A bracket ends what the
 * one before it may look through, so that many of them do not take quadratic time.
 */
function plainTitle(title: string): string {
  return title
    .replace(/!?\[([^\][]{0,500})\]\([^)[]{0,2000}\)/g, '$1')
    .replace(/(?<![\p{L}\p{N}])[*_~`]{1,3}|[*_~`]{1,3}(?![\p{L}\p{N}])/gu, '')
    .trim()
}

function atxHeading(line: Line): HeadingMark | null {
  const hashes = /^#{1,6}(?=[ \t]|$)/.exec(line.text)?.[0]
  if (hashes === undefined) return null
  const title = line.text.slice(hashes.length).trim()
  const closing = title.search(/(?:^|[ \t])#+$/)
  return heading(line, line.end, hashes.length, closing === -1 ? title : title.slice(0, closing))
}

function heading(line: Line, end: number, level: number, title: string): HeadingMark | null {
  const shown = plainTitle(title)
  return shown === '' ? null : { start: line.start, end, level, title: shown }
}

const startsOtherBlock = /^(?:#{1,6}[ \t]|[-*+>] ?|\d{1,9}[.)] |\||`{3}|~{3}|\t| {4}|<|$)/

/** A line of = or - below one line of text. */
function setextHeading(line: Line, before: Line | undefined, beforeThat: Line | undefined): HeadingMark | null {
  if (before === undefined || startsOtherBlock.test(before.text) || !/^(?:=+|-+)$/.test(line.text)) return null
  // Dashes below a paragraph of several lines are more often a rule than a heading of several lines.
  if (beforeThat !== undefined && beforeThat.text !== '') return null
  return heading(before, line.end, line.text.startsWith('=') ? 1 : 2, before.text)
}

function cellsOf(row: string): number {
  return row
    .replaceAll('\\|', '')
    .replace(/^\||\|$/g, '')
    .split('|').length
}

function isRule(text: string): boolean {
  return text.includes('-') && text.includes('|') && /^[|:\- \t]+$/.test(text)
}

function isTableAt(header: Line | undefined, rule: Line): boolean {
  return (
    header !== undefined &&
    header.text.includes('|') &&
    isRule(rule.text) &&
    !isRule(header.text) &&
    cellsOf(header.text) === cellsOf(rule.text)
  )
}

function fenceAt(line: Line): Fence | null {
  const marks = /^(`{3,}(?=[^`]*$)|~{3,})/.exec(line.text)?.[0]
  return marks === undefined ? null : { start: line.start, character: marks.charAt(0), length: marks.length }
}

function closes(line: Line, fence: Fence): boolean {
  return line.text.length >= fence.length && line.text === fence.character.repeat(line.text.length)
}

/** Fenced code, and the lines with those of the code made empty, so that nothing in it looks like a heading. */
function splitCode(lines: readonly Line[]): { readonly code: readonly Span[]; readonly outside: readonly Line[] } {
  const code: Span[] = []
  const outside: Line[] = []
  let fence: Fence | null = null
  for (const line of lines) {
    const opened: Fence | null = fence
    fence ??= fenceAt(line)
    if (opened !== null && closes(line, opened)) {
      code.push({ start: opened.start, end: line.end })
      fence = null
    }
    outside.push(opened === null && fence === null ? line : { ...line, text: '' })
  }
  // Without a closing fence the code goes on to the end of the text.
  if (fence !== null) code.push({ start: fence.start, end: lines.at(-1)?.end ?? fence.start })
  return { code, outside }
}

/** Markdown with its marks, for `TextBuilder.append`. */
export function markdownPart(source: string): TextPart {
  const text = cleanText(source).replace(/^\n+/, '').trimEnd()
  const allLines = linesOf(text)
  const { code, outside: lines } = splitCode(allLines)
  const headings: HeadingMark[] = []
  const tables: TableMark[] = []
  for (let at = frontMatterLines(allLines); at < lines.length; at += 1) {
    const line = lines[at]
    const before = lines[at - 1]
    if (line === undefined) break
    if (before !== undefined && isTableAt(before, line)) {
      while ((lines[at + 1]?.text ?? '').includes('|')) at += 1
      tables.push({ start: before.start, headerEnd: line.end, end: lines[at]?.end ?? line.end })
      continue
    }
    const mark = atxHeading(line) ?? setextHeading(line, before, lines[at - 2])
    if (mark !== null) headings.push(mark)
  }
  return { text, headings, tables, code }
}

const frontMatterLinesMax = 200

/** How many lines of settings precede the text, between two lines of three dashes. */
function frontMatterLines(lines: readonly Line[]): number {
  if (lines[0]?.text !== '---') return 0
  const end = lines.slice(1, frontMatterLinesMax).findIndex((line) => line.text === '---' || line.text === '...')
  return end === -1 ? 0 : end + 2
}

function titleOf(part: TextPart): string | null {
  const lines = linesOf(part.text.slice(0, 20_000))
  for (const line of lines.slice(0, frontMatterLines(lines))) {
    const title = /^title:\s*(\S.*)$/i.exec(line.text)?.[1]
    if (title !== undefined) return title.replace(/^(["'])(.*)\1$/, '$2')
  }
  return part.headings.find((mark) => mark.level === 1)?.title ?? null
}

function statedIn(part: TextPart): Readonly<Record<string, unknown>> {
  const lines = linesOf(part.text.slice(0, 20_000))
  const settings = lines.slice(1, Math.max(1, frontMatterLines(lines) - 1))
  return frontMatter(settings.map(({ start, end }) => part.text.slice(start, end)).join('\n'))
}

/** Reads a Markdown file. */
export const markdownReader: Reader = {
  name: 'markdown',
  read: async ({ bytes, mediaType, limits }) => {
    const builder = new TextBuilder(limits)
    const { text, warning } = decodeText(bytes)
    if (warning !== null) builder.warn(warning)
    const part = markdownPart(text)
    builder.append(part)
    return builder.reading({ mediaType, title: titleOf(part), stated: statedIn(part) })
  },
}
