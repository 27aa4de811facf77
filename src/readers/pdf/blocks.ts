/**
 * Lines put together to blocks: paragraphs, list items, headings to be; and the order of the blocks on a page.
 *
 * Not here: which block is a heading (headings.ts sees the whole document) and how lines become text (flow.ts).
 */
import type { Box } from './fragments.ts'
import { lineText } from './lines.ts'
import type { Line } from './lines.ts'
import { around, isTable } from './tables.ts'
import type { Part, Table } from './tables.ts'

/** Lines that belong together, from the top. */
export interface TextBlock extends Box {
  readonly kind: 'text'
  readonly lines: Line[]
}

export type Block = TextBlock | Table

interface PageLook {
  /** From one line's foot to the next one's head, in line heights, as most lines of the page have it. */
  readonly pitch: number
  readonly size: number
}

const listMarker = /^(?:[•◦▪▫■□●○‣⁃–—*·\uf0b7\uf0a7]|[-o](?= )|\(?(?:\d{1,3}|[a-z])[.)](?= ))/u

/** The marker that a line of a list begins with; empty when there is none. */
export function markerOf(text: string): string {
  // Most lines begin with a word of several letters, which the expression would take apart first.
  const second = text.charCodeAt(1) | 0x20
  if (second >= 0x61 && second <= 0x7a) return ''
  return listMarker.exec(text)?.[0] ?? ''
}

/** Columns that may be side by side in a file that has them line by line. */
const mostOpenBlocks = 3

/** The blocks of a page in reading order. */
export function blocksOf(parts: readonly Part[]): Block[] {
  const look = { pitch: usualPitch(parts), size: usualSize(parts) }
  const blocks: Block[] = []
  for (const part of parts) {
    if (isTable(part)) {
      blocks.push(part)
      continue
    }
    const open = blocks
      .slice(-mostOpenBlocks)
      .findLast((block): block is TextBlock => block.kind === 'text' && belongs(block, part, look))
    if (open === undefined) blocks.push({ kind: 'text', lines: [part], ...around([part]) })
    else addLine(open, part)
  }
  return inReadingOrder(blocks)
}

function usualPitch(parts: readonly Part[]): number {
  const pitches: number[] = []
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1]
    if (before === undefined || isTable(part) || isTable(before)) continue
    const height = before.top - before.bottom
    const gap = before.bottom - part.top
    if (gap > -0.5 * height && gap < 1.5 * height) pitches.push(gap / height)
  }
  pitches.sort((one, other) => one - other)
  return Math.min(pitches[Math.floor(pitches.length / 2)] ?? 0.2, 0.8)
}

/** The size of most of the letters on the page, in points. */
function usualSize(parts: readonly Part[]): number {
  const letters = new Map<number, number>()
  for (const part of parts) {
    if (!isTable(part)) letters.set(part.size, (letters.get(part.size) ?? 0) + lineText(part).length)
  }
  return [...letters].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0]
}

function belongs(block: TextBlock, line: Line, look: PageLook): boolean {
  const above = block.lines.at(-1)
  if (above === undefined || above.turn !== line.turn) return false
  const height = Math.max(above.top - above.bottom, 1)
  const gap = (above.bottom - line.top) / height
  if (gap < -0.7 || gap > Math.max(look.pitch, 0) + 0.35) return false
  if (Math.min(above.right, line.right) < Math.max(above.left, line.left)) return false
  if (Math.abs(line.size - above.size) > 0.12 * above.size) return false
  const isLarge = line.size > 1.12 * look.size
  if (line.bold !== above.bold && !isLarge && isComplete(block, above, line)) return false
  if (beginsItem(above, line) && line.left <= above.left + height) return false
  return !endsItem(block, above, line) && !startsParagraph(block, above, line)
}

/** A dot in the middle may also divide words of a row, wherever its lines end. */
function beginsItem(above: Line, line: Line): boolean {
  const marker = markerOf(lineText(line))
  return marker !== '' && !(marker === '·' && lineText(above).includes(' · '))
}

/** Whether the text is at an end before `line`; a sentence goes on across lines whether its letters are bold or not. */
function isComplete(block: TextBlock, above: Line, line: Line): boolean {
  const text = lineText(above)
  if (above.hyphened || /[,;\p{Pd}]$/u.test(text) || /^\p{Ll}/u.test(lineText(line))) return false
  const endsEarly = above.right < Math.max(block.right, line.right) - 2 * (above.top - above.bottom)
  return block.lines.length === 1 || endsEarly || /[.!?:…]["'”»)]?$/.test(text)
}

/** Begins as far left as the marker of the item above it, which has ended before the margin. */
function endsItem(block: TextBlock, above: Line, line: Line): boolean {
  const [first] = block.lines
  const height = above.top - above.bottom
  if (first === undefined || line.rightToLeft || markerOf(lineText(first)) === '') return false
  return line.left < first.left + 0.3 * height && above.right < Math.max(block.right, line.right) - 4 * height
}

/** Indented against the lines above it, which themselves are not. */
function startsParagraph(block: TextBlock, above: Line, line: Line): boolean {
  if (line.rightToLeft || block.lines.length < 2 || markerOf(lineText(block.lines[0] ?? above)) !== '') return false
  if (/[,;\p{Pd}]$/u.test(lineText(above))) return false
  const indent = line.left - above.left
  const height = above.top - above.bottom
  return indent > 0.8 * height && indent < 4 * height && Math.abs(above.left - block.left) < 0.5 * height
}

function addLine(block: TextBlock, line: Line): void {
  block.lines.push(line)
  Object.assign(block, around([block, line]))
}

/**
 * The order of the file, unless it jumps up within a column; then by cutting the page along its empty stripes. What is
 * turned comes last.
 */
function inReadingOrder(blocks: readonly Block[]): Block[] {
  const upright = blocks.filter((block) => turnOf(block) === 0)
  const turned = blocks.filter((block) => turnOf(block) !== 0)
  if (turned.length > upright.length) return [...blocks]
  return [...(jumpsUp(upright) ? cut(upright, 0) : upright), ...turned]
}

function turnOf(block: Block): number {
  return block.kind === 'table' ? 0 : (block.lines[0]?.turn ?? 0)
}

function jumpsUp(blocks: readonly Block[]): boolean {
  return blocks.some((block, at) => {
    const before = blocks[at - 1]
    if (before === undefined || block.bottom < before.top) return false
    const shared = Math.min(before.right, block.right) - Math.max(before.left, block.left)
    return shared > 0.3 * Math.min(before.right - before.left, block.right - block.left)
  })
}

const deepestCut = 40

/** Recursive X-Y cut: columns where the page can be cut down, else two parts at the widest empty stripe across. */
function cut(blocks: readonly Block[], depth: number): Block[] {
  if (blocks.length < 2 || depth > deepestCut) return fromTop(blocks)
  const down = divided(blocks, (block) => [block.left, block.right])
  if (down.length > 1 && down.every(isTall)) return down.flatMap((part) => cut(part, depth + 1))
  const across = divided(blocks, (block) => [-block.top, -block.bottom])
  if (across.length < 2) return down.length > 1 ? down.flatMap((part) => cut(part, depth + 1)) : fromTop(blocks)
  const gaps = across.map((part, at) => (at === 0 ? 0 : lowest(across[at - 1] ?? []) - highest(part)))
  const widest = gaps.indexOf(Math.max(...gaps.slice(1)), 1)
  return [across.slice(0, widest), across.slice(widest)].flatMap((part) => cut(part.flat(), depth + 1))
}

function lowest(blocks: readonly Block[]): number {
  return Math.min(...blocks.map((block) => block.bottom))
}
function highest(blocks: readonly Block[]): number {
  return Math.max(...blocks.map((block) => block.top))
}
function fromTop(blocks: readonly Block[]): Block[] {
  return [...blocks].sort((one, other) => other.top - one.top || one.left - other.left)
}

/** More than a few words beside others. */
function isTall(column: readonly Block[]): boolean {
  return column.reduce((sum, block) => sum + (block.kind === 'table' ? 3 : block.lines.length), 0) > 2
}

function divided(blocks: readonly Block[], extent: (block: Block) => [number, number]): Block[][] {
  const sorted = [...blocks].sort((one, other) => extent(one)[0] - extent(other)[0])
  const parts: Block[][] = []
  let end = -Infinity
  for (const block of sorted) {
    const [from, to] = extent(block)
    const open = parts.at(-1)
    if (open !== undefined && from < end - 0.5) open.push(block)
    else parts.push([block])
    end = Math.max(end, to)
  }
  return parts
}
