/**
 * Parses the block structure of Markdown into data; the renderer makes React elements of it, never
 * HTML. Incomplete text, as in every stream, is parsed as far as it goes, in time linear in its length. Not supported: HTML,
 * images, footnotes, link definitions.
 */

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly Item[] }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'math'; readonly text: string }
  | { readonly kind: 'rule' }

export interface Item {
  /** Whether the task is done; null for an item without a box. */
  readonly done: boolean | null
  readonly blocks: readonly Block[]
}

interface Read {
  readonly block: Block
  /** Index of the first line after the block. */
  readonly next: number
}

const fencePattern = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/
const headingPattern = /^ {0,3}(#{1,6})\s+(.*)$/
const rulePattern = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/
const itemPattern = /^( *)([-*+]|\d{1,9}[.)])( +|$)/
const quotePattern = /^ {0,3}> ?/
const dividerPattern = /^[\s|:-]+$/
const taskPattern = /^\[([ xX])\](?: +|$)/
const mathPattern = /^ {0,3}(\$\$|\\\[)(.*)$/
/** A formula that ends a paragraph: its mark stands alone, or both are on the line. */
const mathLinePattern = /^ {0,3}(?:(?:\$\$|\\\[)\s*|\$\$.+\$\$\s*|\\\[.+\\\]\s*)$/
/** What ends a paragraph. */
const blockPatterns = [fencePattern, headingPattern, rulePattern, itemPattern, quotePattern, mathLinePattern]
/** Limits recursion: hostile text could overflow the stack. */
const depthMax = 12
/** Every row of a table has as many cells as its header: without a limit they would be the square of the text. */
const columnsMax = 64

/** A block and the index of its first line. */
export interface PlacedBlock {
  readonly block: Block
  readonly line: number
}

/** The lines of a text as `placedBlocks` reads them. */
export function markdownLines(text: string): readonly string[] {
  return text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n')
}

/** The blocks of a text, from top to bottom. */
export function markdownBlocks(text: string): readonly Block[] {
  return blocksOf(markdownLines(text), 0)
}

function blocksOf(lines: readonly string[], depth: number): readonly Block[] {
  if (depth > depthMax) return [{ kind: 'paragraph', text: lines.join('\n') }]
  return placedBlocks(lines, depth).map(({ block }) => block)
}

/** The blocks of lines with the place of each. What comes before a block does not change how it is read. */
export function placedBlocks(lines: readonly string[], depth = 0): readonly PlacedBlock[] {
  const blocks: PlacedBlock[] = []
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const { block, next } =
      readLeaf(lines, at) ?? readQuote(lines, at, depth) ?? readList(lines, at, depth) ?? readParagraph(lines, at)
    blocks.push({ block, line: at })
    at = next
  }
  return blocks
}

/** Parses blocks that contain no other blocks. */
function readLeaf(lines: readonly string[], at: number): Read | null {
  const line = lines[at] ?? ''
  if (rulePattern.test(line)) return { block: { kind: 'rule' }, next: at + 1 }
  const heading = headingPattern.exec(line)
  if (heading !== null) {
    const text = (heading[2] ?? '').replace(/\s#+\s*$/, '').trim()
    return { block: { kind: 'heading', level: heading[1]?.length ?? 1, text }, next: at + 1 }
  }
  return readCode(lines, at) ?? readMath(lines, at) ?? readTable(lines, at)
}

function readCode(lines: readonly string[], at: number): Read | null {
  const fence = fencePattern.exec(lines[at] ?? '')
  if (fence === null) return null
  const mark = fence[1] ?? ''
  const indent = (lines[at] ?? '').indexOf(mark)
  const isEnd = (line: string): boolean => line.trim().startsWith(mark) && /^([`~])\1*$/.test(line.trim())
  let end = at + 1
  while (end < lines.length && !isEnd(lines[end] ?? '')) end += 1
  const text = lines
    .slice(at + 1, end)
    .map((line) => line.slice(Math.min(indent, indentOf(line))))
    .join('\n')
  return { block: { kind: 'code', language: fence[2] ?? '', text }, next: end + 1 }
}

/** A formula on lines of its own: between `$$`, or between `\\[` and `\\]`. A blank line ends it in every case. */
function readMath(lines: readonly string[], at: number): Read | null {
  const [, open, first = ''] = mathPattern.exec(lines[at] ?? '') ?? []
  if (open === undefined) return null
  const close = open === '$$' ? '$$' : String.raw`\]`
  const inside: string[] = []
  let next = at
  for (
    let line: string | undefined = first;
    line !== undefined && !isBlank(next === at ? '$' : line);
    line = lines[next]
  ) {
    const [formula = '', ...after] = line.split(close)
    // Text follows: on the first line this is a formula in a sentence, on a later one the formula has ended before.
    if (after.join('').trim() !== '') break
    next += 1
    inside.push(formula)
    if (after.length > 0) break
  }
  return next === at ? null : { block: { kind: 'math', text: inside.join('\n').trim() }, next }
}

function readTable(lines: readonly string[], at: number): Read | null {
  const header = lines[at] ?? ''
  const divider = lines[at + 1] ?? ''
  if (!header.includes('|') || !divider.includes('-') || !divider.includes('|') || !dividerPattern.test(divider))
    return null
  let end = at + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1
  const names = cellsOf(header).slice(0, columnsMax)
  const rows = lines.slice(at + 2, end).map((line) => {
    const cells = cellsOf(line)
    return names.map((_, column) => cells[column] ?? '')
  })
  return { block: { kind: 'table', header: names, rows }, next: end }
}

function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

function readQuote(lines: readonly string[], at: number, depth: number): Read | null {
  let end = at
  while (end < lines.length && quotePattern.test(lines[end] ?? '')) end += 1
  if (end === at) return null
  const inner = lines.slice(at, end).map((line) => line.replace(quotePattern, ''))
  return { block: { kind: 'quote', blocks: blocksOf(inner, depth + 1) }, next: end }
}

function readList(lines: readonly string[], at: number, depth: number): Read | null {
  const first = markerOf(lines[at])
  if (first === null) return null
  const items: Item[] = []
  let next = at
  for (let marker = first; isSameList(marker, first);) {
    const end = itemEnd(lines, next + 1, first.margin)
    const [head = '', ...rest] = lines.slice(next, end)
    const inner = rest.map((line) => line.slice(Math.min(marker.width, indentOf(line))))
    items.push(itemOf(head.slice(marker.width), inner, depth))
    next = end
    const following = markerOf(lines[next])
    if (following === null) break
    marker = following
  }
  return { block: { kind: 'list', start: first.number, items }, next }
}

function itemOf(head: string, inner: readonly string[], depth: number): Item {
  const task = taskPattern.exec(head)
  return {
    done: task === null ? null : task[1] !== ' ',
    blocks: blocksOf([head.slice(task?.[0].length ?? 0), ...inner], depth + 1),
  }
}

interface Marker {
  readonly margin: number
  /** The number of characters before the text. */
  readonly width: number
  /** Null for bullets. */
  readonly number: number | null
}

function markerOf(line: string | undefined): Marker | null {
  const match = itemPattern.exec(line ?? '')
  if (match === null) return null
  const number = Number.parseInt(match[2] ?? '', 10)
  return { margin: match[1]?.length ?? 0, width: match[0].length, number: Number.isNaN(number) ? null : number }
}

function isSameList(a: Marker, b: Marker): boolean {
  return Math.abs(a.margin - b.margin) < 2 && (a.number === null) === (b.number === null)
}

/** The line after an item: the next item of its list or an outer list, or unindented text after a blank line. */
function itemEnd(lines: readonly string[], from: number, margin: number): number {
  let gap = false
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (isBlank(line)) {
      gap = true
      continue
    }
    const isInside = indentOf(line) >= margin + 2
    if (!isInside && (gap || startsBlock(lines, at))) return at
    gap = false
  }
  return lines.length
}

function readParagraph(lines: readonly string[], at: number): Read {
  let end = at + 1
  while (end < lines.length && !isBlank(lines[end]) && !startsBlock(lines, end)) end += 1
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join('\n')
  return { block: { kind: 'paragraph', text }, next: end }
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  return blockPatterns.some((each) => each.test(line))
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === ''
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
