/**
 * Which blocks are headings, and of which level.
 *
 * The outline decides when it names enough of the blocks. Otherwise a heading is short, and larger than the text that
 * most of the document is set in, or bold where that is not; its level is the rank of its size.
 */
import type { Block, TextBlock } from './blocks.ts'
import { markerOf } from './blocks.ts'
import { lineText } from './lines.ts'
import type { Line } from './lines.ts'
import type { OutlineEntry } from './outline.ts'

/** Level of each block that is a heading. */
export type Headings = ReadonlyMap<Block, number>

const mostLines = 4
const mostLetters = 200
const largerBy = 1.12
/** From here on even a line that looks like part of a sentence is a heading. */
const muchLarger = 1.4
const sameSize = 1.06
const mostLevels = 6
/** Fewer matches than this may be a lone bookmark to the title page. */
const fewestMatches = 3

/** The headings of a document, whose pages are given with their blocks. */
export function headingsOf(pages: readonly (readonly Block[])[], outline: readonly OutlineEntry[]): Headings {
  const told = byOutline(pages, outline)
  return told.size >= fewestMatches && told.size >= 0.5 * outline.length ? told : byLook(pages)
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

function blockText(block: TextBlock): string {
  return block.lines.map(lineText).join(' ')
}

function byOutline(pages: readonly (readonly Block[])[], outline: readonly OutlineEntry[]): Headings {
  const found = new Map<Block, number>()
  const texts = new Map<Block, string>()
  for (const { title, level, page } of outline) {
    const wanted = plain(title)
    if (wanted === '') continue
    for (const block of pages[page] ?? []) {
      if (block.kind === 'table' || block.lines.length > mostLines || found.has(block)) continue
      const text = texts.get(block) ?? plain(blockText(block))
      texts.set(block, text)
      if (text === wanted || (wanted.length > 3 && isNumbered(text, wanted))) {
        found.set(block, level)
        break
      }
    }
  }
  return found
}

/** The same words behind a number of few digits. */
function isNumbered(text: string, wanted: string): boolean {
  return (
    (text.endsWith(wanted) && text.length - wanted.length <= 6) ||
    (wanted.endsWith(text) && wanted.length - text.length <= 6 && text.length > 3)
  )
}

function byLook(pages: readonly (readonly Block[])[]): Headings {
  const body = bodyLook(pages)
  const found: { readonly block: TextBlock; readonly rank: number }[] = []
  for (const blocks of pages) {
    for (const block of blocks) {
      if (block.kind === 'table' || !mayBeHeading(block)) continue
      const [first] = block.lines
      if (first === undefined) continue
      const size = Math.max(...block.lines.map((line) => line.size))
      if (size >= (isSentence(block) ? muchLarger : largerBy) * body.size) found.push({ block, rank: size })
      else if (!body.bold && size > 0.95 * body.size && isBoldTitle(block)) found.push({ block, rank: body.size })
    }
  }
  const ranks = ranksOf(found.map(({ rank }) => rank))
  const placeOf = (rank: number): number => ranks.findIndex((least) => rank >= least)
  const least = new Map<number, number>()
  for (const { block, rank } of found) {
    const place = placeOf(rank)
    least.set(place, Math.min(depthOf(block) || Infinity, least.get(place) ?? Infinity))
  }
  const levelOf = (block: TextBlock, rank: number): number => {
    const place = placeOf(rank)
    return Math.min(1 + place + Math.max(0, depthOf(block) - (least.get(place) ?? 0)), mostLevels)
  }
  return new Map(found.map(({ block, rank }) => [block, levelOf(block, rank)]))
}

/** Parts of a heading's number: 2 for `3.1`; 0 without one. */
function depthOf(block: TextBlock): number {
  return /^\d+(?:\.\d+)*/.exec(blockText(block))?.[0].split('.').length ?? 0
}

interface Look {
  readonly size: number
  readonly bold: boolean
}

/** Size and weight of most of the letters. */
function bodyLook(pages: readonly (readonly Block[])[]): Look {
  const letters = new Map<number, number>()
  let bold = 0
  let all = 0
  const count = (line: Line): void => {
    const length = lineText(line).length
    const size = Math.round(line.size * 2) / 2
    letters.set(size, (letters.get(size) ?? 0) + length)
    all += length
    if (line.bold) bold += length
  }
  for (const blocks of pages) for (const block of blocks) if (block.kind === 'text') block.lines.forEach(count)
  const [size] = [...letters].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])
  return { size, bold: bold > 0.5 * all }
}

/** The least size of each level, the largest first; sizes that differ by a few percent are one. */
function ranksOf(sizes: readonly number[]): number[] {
  const ranks: number[] = []
  for (const size of [...new Set(sizes)].sort((one, other) => other - one)) {
    const last = ranks.at(-1)
    if (last !== undefined && size * sameSize >= last) ranks[ranks.length - 1] = size
    else ranks.push(size)
  }
  return ranks
}

/** Divided by wide gaps, other than behind a heading's number. */
function isRow(line: Line): boolean {
  return (
    !line.rightToLeft &&
    (line.cells.length > 2 || (line.cells.length === 2 && !/^[\p{Lu}\d.]{1,8}$/u.test(line.cells[0]?.text ?? '')))
  )
}

function mayBeHeading(block: TextBlock): boolean {
  if (block.lines.length > mostLines || block.lines.some((line) => line.turn !== 0 || isRow(line))) return false
  const text = blockText(block)
  return text.length <= mostLetters && /\p{L}.*\p{L}/u.test(text) && !/[,;]$/.test(text)
}

function isSentence(block: TextBlock): boolean {
  return /^\p{Ll}|[.]$/u.test(blockText(block))
}

function isBoldTitle(block: TextBlock): boolean {
  if (block.lines.length > 2 || !block.lines.every((line) => line.bold)) return false
  const text = blockText(block)
  const numbered = /^\d+(?:\.\d+)*\.?\s+\p{Lu}/u.test(text)
  return (
    numbered ||
    (text.length <= 100 && /^[\p{Lu}\p{Lo}\p{N}]/u.test(text) && !/[.!]$/.test(text) && markerOf(text) === '')
  )
}
