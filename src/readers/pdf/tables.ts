/**
 * Tables, found by vertical alignment: consecutive lines that are divided at the same places.
 *
 * Lives here: finding them and putting their cells into rows and columns. Invariant: it takes lines only when all of
 * their text lands in a cell of its own column, so nothing is lost or put beside what it does not belong to; where that
 * is in doubt the lines stay lines.
 */
import type { Box, Gap } from './fragments.ts'

import type { Cell, Line } from './lines.ts'

export interface Table extends Box {
  readonly kind: 'table'
  readonly rows: readonly (readonly string[])[]
}

export type Part = Line | Table

export function isTable(part: Part): part is Table {
  return 'kind' in part
}

interface Interval {
  left: number
  right: number
}

const fewestRows = 3
/** Two rows alone are a table when their cells have their edges below each other in this many columns. */
const columnsOfTwoRows = 3
/** Lines that have a space wider than usual at the same place. */
const fewestDivided = 4
const fewestDividedTwice = 3
const mostColumns = 40
/** Longer cells, on average, are columns of running text. */
const longestMeanCell = 45
const mostLinesInHeader = 4

/** The lines with tables in the place of the lines they were made of. */
export function withTables(given: readonly Line[]): Part[] {
  const lines = withNarrowColumns(given)
  const parts: Part[] = []
  for (let at = 0; at < lines.length;) {
    const end = runEnd(lines, at)
    const run = lines.slice(at, end)
    const columns = run.length < fewestRows ? columnsOfTwo(run) : columnsOf(run)
    if (columns === null) {
      const line = lines[at]
      if (line !== undefined) parts.push(...withoutColumns(line))
      at += 1
      continue
    }
    const header = headerAbove(parts, run, columns)
    parts.length -= header.length
    // Two lines with several cells each are two rows, not one header.
    const isOneRow = header.filter((line) => line.cells.length > 1).length <= 1
    parts.push(tableOf([...header, ...run], columns, isOneRow ? header.length : 0))
    at = end
  }
  return parts
}

/** Lines of tables whose columns are close to each other: consecutive lines with a wide space at the same place. */
function withNarrowColumns(lines: readonly Line[]): readonly Line[] {
  if (lines.every((line) => line.cells.every(({ gaps }) => gaps === undefined))) return lines
  const divided: Line[] = []
  for (let at = 0; at < lines.length;) {
    const { end, stripes } = stripesFrom(lines, at)
    const run = lines.slice(at, end)
    const needed = stripes.length > 1 ? fewestDividedTwice : fewestDivided
    const apart = run.length < needed ? [] : run.map((line) => dividedAt(line, stripes))
    // A caption below may have a wide space where the columns do.
    const rows = apart.slice(0, apart.findLastIndex((line) => areEntries([line])) + 1)
    if (rows.length >= needed && areEntries(rows)) {
      for (const line of rows) divided.push(line)
      at += rows.length
    } else {
      // All of a long run, so that each line is looked at a few times only.
      const passed = run.length < needed ? run.slice(0, 1) : run
      for (const line of passed) divided.push(line)
      at += passed.length
    }
  }
  return divided
}

/** How far lines go on below each other that share wide spaces, and where those are. */
function stripesFrom(
  lines: readonly Line[],
  start: number,
): { readonly end: number; readonly stripes: readonly Interval[] } {
  const first = lines[start]
  let stripes: readonly Interval[] = first === undefined ? [] : gapsOf(first)
  let end = start + 1
  for (; end < lines.length && stripes.length > 0; end += 1) {
    const [above, line] = [lines[end - 1], lines[end]]
    if (above === undefined || line === undefined || line.turn !== above.turn) break
    const height = above.top - above.bottom
    const gap = above.bottom - line.top
    if (gap > 1.5 * height || gap < -0.6 * height) break
    const shared = intersections(stripes, gapsOf(line), height)
    if (shared.length === 0) break
    stripes = shared
  }
  return { end, stripes }
}

/** Spaces within cells, and those between them. */
function gapsOf(line: Line): Interval[] {
  if (line.rightToLeft || isListItem(line)) return []
  const gaps = line.cells.flatMap((cell, at) => {
    const next = line.cells[at + 1]
    const within: readonly Interval[] = cell.gaps ?? []
    return next === undefined ? within : [...within, { left: cell.right, right: next.left }]
  })
  return gaps.length < mostColumns ? gaps : []
}

function intersections(some: readonly Interval[], others: readonly Interval[], height: number): Interval[] {
  return some.flatMap((one) =>
    others.flatMap((other) => {
      const [left, right] = [Math.max(one.left, other.left), Math.min(one.right, other.right)]
      return right - left > narrowestStripe * height ? [{ left, right }] : []
    }),
  )
}

/** In line heights; words are further apart than this only by chance, and not at the same place. */
const narrowestStripe = 0.35

function dividedAt(line: Line, stripes: readonly Interval[]): Line {
  const cells = line.cells.flatMap((cell) => {
    const cuts = (cell.gaps ?? []).filter((gap) =>
      stripes.some(({ left, right }) => gap.left <= left && gap.right >= right),
    )
    return cuts.length === 0 ? [cell] : cutCell(cell, cuts)
  })
  return { ...line, cells }
}

function cutCell(cell: Cell, cuts: readonly Gap[]): Cell[] {
  const { top, bottom } = cell
  const ends = [...cuts.map(({ at, left }) => ({ at, right: left })), { at: cell.text.length, right: cell.right }]
  return ends.map((end, index) => {
    const before = cuts[index - 1]
    const text = cell.text.slice(before === undefined ? 0 : before.at + 1, end.at)
    return { text, left: before?.right ?? cell.left, right: end.right, top, bottom }
  })
}

/** Not the words of running text: short, and in most columns but the first figures or single words. */
function areEntries(lines: readonly Line[]): boolean {
  const cells = lines.flatMap((line) => line.cells.slice(1))
  const entries = cells.filter(({ text }) => /^[^\p{L}]*\d[^\p{L}]{0,20}\p{L}{0,4}$/u.test(text) || !text.includes(' '))
  return entries.length > 0.7 * cells.length
}

/** Lines of two columns of running text that the file has as one. */
function withoutColumns(line: Line): Line[] {
  if (line.rightToLeft || line.cells.length < 2) return [line]
  const height = line.top - line.bottom
  const apart = line.cells.every((cell, at) => {
    const before = line.cells[at - 1]
    return cell.text.length > 15 && (before === undefined || cell.left - before.right > 1.5 * height)
  })
  if (!apart) return [line]
  return line.cells.map((cell, at) => ({
    ...line,
    left: cell.left,
    right: cell.right,
    cells: [cell],
    hyphened: line.hyphened && at === line.cells.length - 1,
  }))
}

function isDivided(line: Line): boolean {
  return line.cells.length > 1 && !isListItem(line)
}

/** A bullet or number with its text behind a gap looks like two cells. */
function isListItem(line: Line): boolean {
  return (
    line.cells.length === 2 &&
    /^(?:[^\p{L}\p{N}]|\(?[\p{L}\p{N}]{1,3}[.)]|\d+(?:\.\d+)+\.?|[o§])$/u.test(line.cells[0]?.text ?? '')
  )
}

/** Where the lines that may be one table end; lines with one cell belong to it when they go on in a cell above. */
function runEnd(lines: readonly Line[], start: number): number {
  const first = lines[start]
  if (first === undefined || !isDivided(first)) return start
  let end = start + 1
  let above = first
  let divided = first
  for (let at = end; at < lines.length; at += 1) {
    const line = lines[at]
    if (line === undefined || line.turn !== first.turn) break
    const gap = above.bottom - line.top
    const height = above.top - above.bottom
    if (gap > 2 * height || gap < -0.6 * height) break
    if (isDivided(line)) divided = line
    else if (gap > 0.8 * height || !goesOn(divided, line)) break
    above = line
    end = at + 1
  }
  return end
}

/** Begins where a cell of `divided` begins that is not its first one, and ends before the next cell. */
function goesOn(divided: Line, line: Line): boolean {
  const column = divided.cells.findIndex((cell) => Math.abs(cell.left - line.left) < 2)
  const next = divided.cells[column + 1]
  return column > 0 && (next === undefined || line.right < next.left)
}

/** The columns of a run, from the left; null when it is not a table. */
function columnsOf(run: readonly Line[]): Interval[] | null {
  const divided = run.filter(isDivided)
  const cells = divided.flatMap((line) => line.cells)
  if (divided.length < fewestRows) return null
  const letters = cells.reduce((sum, cell) => sum + cell.text.length, 0)
  const most = Math.max(...divided.map((line) => line.cells.length))
  // Lines with fewer cells may have some that stand across columns.
  const columns = merged(divided.flatMap((line) => (line.cells.length > 0.7 * most ? line.cells : [])))
  if (columns.length < 2 || columns.length > mostColumns) return null
  if (letters / cells.length > longestMeanCell) return null
  // Two columns of words may be anything; two columns of short entries are a table from the fourth row on.
  if (columns.length === 2 && divided.length < fewestRows + 1) return null
  if (cells.length < 0.6 * columns.length * divided.length) return null
  for (const line of run) if (placed(line.cells, columns) === null) return null
  return columns
}

/** The columns of two lines whose cells are short and aligned, one in each column; null when they are not. */
function columnsOfTwo(run: readonly Line[]): Interval[] | null {
  const [first, second] = run
  if (first === undefined || second === undefined || run.length > 2) return null
  const { cells } = first
  if (cells.length < columnsOfTwoRows || cells.length !== second.cells.length) return null
  const letters = [...cells, ...second.cells].reduce((sum, { text }) => sum + text.length, 0)
  if (letters > cells.length * longestMeanCell) return null
  const isAligned = cells.every((cell, at) => {
    const below = second.cells[at]
    if (below === undefined) return false
    const [left, right] = [below.left - cell.left, below.right - cell.right]
    return Math.min(Math.abs(left), Math.abs(right), Math.abs(left + right) / 2) < sameEdge
  })
  return isAligned ? merged([...cells, ...second.cells]) : null
}

/** Points within which edges are below each other. */
const sameEdge = 3

function merged(cells: readonly Cell[]): Interval[] {
  const sorted = cells.map(({ left, right }) => ({ left, right })).sort((one, other) => one.left - other.left)
  const columns: Interval[] = []
  for (const cell of sorted) {
    const last = columns.at(-1)
    if (last !== undefined && cell.left < last.right) last.right = Math.max(last.right, cell.right)
    else columns.push(cell)
  }
  return columns
}

/**
 * The column of each cell: the first one that it touches, or the nearest one; null when two cells touch the same column
 * or all columns are touched by one cell.
 */
function placed(cells: readonly Cell[], columns: readonly Interval[]): number[] | null {
  const taken = new Set<number>()
  const found: number[] = []
  for (const cell of cells) {
    const touched = columns.flatMap((column, at) => (cell.left < column.right && cell.right > column.left ? [at] : []))
    const places = touched.length > 0 ? touched : [nearest(cell, columns)]
    if (places.some((place) => taken.has(place))) return null
    if (places.length > 1 && (cells.length === 1 || places.length === columns.length)) return null
    for (const place of places) taken.add(place)
    found.push(places[0] ?? 0)
  }
  return found
}

/**
 * The lines just above a table that are its header, each cell of which may have several lines. They may be a little
 * wider than the lines below them, and come cell by cell, so they are looked for by their place.
 */
function headerAbove(parts: readonly Part[], run: readonly Line[], columns: readonly Interval[]): Line[] {
  const [first] = run
  if (first === undefined) return []
  const height = first.top - first.bottom
  const header: Line[] = []
  for (const part of parts.toReversed()) {
    if (isTable(part) || part.turn !== first.turn || part.bottom < first.bottom) break
    if (part.bottom - first.top > mostLinesInHeader * height) break
    if (placed(part.cells, columns) === null) break
    header.unshift(part)
  }
  // A single line is a caption more often than a header.
  const cells = header.reduce((sum, line) => sum + line.cells.length, 0)
  return cells < 0.6 * columns.length ? [] : header
}

function tableOf(lines: readonly Line[], columns: readonly Interval[], headerLines: number): Table {
  const rows: string[][] = []
  for (const [at, line] of lines.entries()) {
    const places = placed(line.cells, columns) ?? []
    const inHeader = at > 0 && at < headerLines
    const last = rows.at(-1)
    const continues = at > headerLines && line.cells.length === 1 && !places.includes(0)
    const row = last !== undefined && (inHeader || continues) ? last : columns.map(() => '')
    if (row !== last) rows.push(row)
    for (const [index, cell] of line.cells.entries()) {
      const column = places[index] ?? 0
      row[column] = [row[column] ?? '', cell.text].filter((text) => text !== '').join(' ')
    }
  }
  const isRightToLeft = lines.filter((line) => line.rightToLeft).length > lines.length / 2
  return { kind: 'table', rows: isRightToLeft ? rows.map((row) => row.toReversed()) : rows, ...around(lines) }
}

function nearest(cell: Cell, columns: readonly Interval[]): number {
  const middle = (cell.left + cell.right) / 2
  let best = 0
  let bestDistance = Number.POSITIVE_INFINITY
  for (const [at, { left, right }] of columns.entries()) {
    const distance = middle < left ? left - middle : Math.max(0, middle - right)
    if (distance < bestDistance) {
      best = at
      bestDistance = distance
    }
  }
  return best
}

/** The box around all of them. */
export function around(boxes: readonly Box[]): Box {
  const box: Box = { left: Infinity, right: -Infinity, top: -Infinity, bottom: Infinity }
  for (const { left, right, top, bottom } of boxes) {
    box.left = Math.min(box.left, left)
    box.right = Math.max(box.right, right)
    box.top = Math.max(box.top, top)
    box.bottom = Math.min(box.bottom, bottom)
  }
  return box
}
