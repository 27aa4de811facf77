/**
 * Fragments put together to lines, and lines to cells where wide gaps divide them.
 *
 * Lives here: what is side by side. Not here: what is one below the other. Lines keep the order of the file, since that
 * is right for nearly all files that have more than one column.
 */
import { withDropCaps } from './drop-caps.ts'
import { isFromRight } from './logical-order.ts'
import { broadSpace, grow, type Box, type Fragment, type Gap } from './fragments.ts'

/** A part of a line between wide gaps. */
export interface Cell extends Box {
  text: string
  /** Spaces in it that are wider than between words. */
  gaps?: Gap[] | undefined
}

export interface Line extends Box {
  readonly cells: Cell[]
  /** The size of the largest letters on it, in points. */
  size: number
  /** All of it. */
  bold: boolean
  /** Its last word goes on in the next line; the hyphen is left out. */
  hyphened: boolean
  rightToLeft: boolean
  readonly turn: number
}

/** The text of a line, its cells divided by spaces. */
export function lineText(line: Line): string {
  return line.cells.map((cell) => cell.text).join(' ')
}

/** The lines of a page in the order of the file. */
export function linesOf(fragments: readonly Fragment[]): Line[] {
  const lines: Line[] = []
  for (const fragment of withDropCaps(fragments)) {
    const open = lines.at(-1)
    if (open !== undefined && standsBeside(open, fragment)) extend(open, fragment)
    else lines.push(begin(fragment))
  }
  for (const line of lines) if (line.rightToLeft) orderCells(line)
  return lines
}

/** The cells of a line with letters from right to left come in any order. */
function orderCells({ cells }: Line): void {
  if (isFromRight(cells)) cells.sort((one, other) => other.right - one.right)
  else cells.sort((one, other) => one.left - other.left)
}

function begin(fragment: Fragment): Line {
  const { left, right, top, bottom } = fragment
  return {
    left,
    right,
    top,
    bottom,
    cells: [{ left, right, top, bottom, text: fragment.text, gaps: fragment.gaps }],
    size: fragment.size,
    bold: fragment.bold,
    hyphened: fragment.hyphened,
    rightToLeft: fragment.rightToLeft,
    turn: fragment.turn,
  }
}

function standsBeside(line: Line, fragment: Fragment): boolean {
  if (line.turn !== fragment.turn || line.hyphened) return false
  const height = Math.min(line.top - line.bottom, fragment.top - fragment.bottom)
  const overlap = Math.min(line.top, fragment.top) - Math.max(line.bottom, fragment.bottom)
  const isSmall = fragment.size < 0.85 * line.size
  if (overlap < (isSmall ? 0.3 : 0.5) * height) return false
  // A raised fragment may be directly above a lowered one.
  const backwards = isSmall ? 1.5 * (line.top - line.bottom) : 0.5 * height
  return line.rightToLeft || fragment.rightToLeft || fragment.left > line.right - backwards
}

function extend(line: Line, fragment: Fragment): void {
  const height = line.top - line.bottom
  const cell = line.cells.at(-1)
  const isRightToLeft = line.rightToLeft || fragment.rightToLeft
  const gap =
    isRightToLeft && cell !== undefined
      ? Math.max(fragment.left - cell.right, cell.left - fragment.right)
      : fragment.left - line.right
  if (cell === undefined || gap > height) {
    const { left, right, top, bottom } = fragment
    line.cells.push({ left, right, top, bottom, text: fragment.text, gaps: fragment.gaps })
  } else {
    const divided = fragment.spaced || gap > 0.15 * height
    if (divided) addGaps(cell, fragment, gap > broadSpace * height)
    cell.text += (divided ? ' ' : '') + raised(line, fragment)
    grow(cell, fragment)
  }
  line.bold &&= fragment.bold
  line.hyphened = fragment.hyphened
  line.rightToLeft ||= fragment.rightToLeft
  line.left = Math.min(line.left, fragment.left)
  line.right = Math.max(line.right, fragment.right)
  // Raised and lowered letters must not make the line taller: the next line would seem to touch it.
  if (fragment.size >= line.size) {
    line.size = fragment.size
    line.top = fragment.top
    line.bottom = fragment.bottom
  }
}

/** The wide spaces of a fragment that goes on in a cell, and the one before it. */
function addGaps(cell: Cell, fragment: Fragment, isBroad: boolean): void {
  if (!isBroad && fragment.gaps === undefined) return
  cell.gaps ??= []
  const at = cell.text.length
  if (isBroad) cell.gaps.push({ at, left: cell.right, right: fragment.left })
  for (const gap of fragment.gaps ?? []) cell.gaps.push({ ...gap, at: at + 1 + gap.at })
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** Small raised digits as what they are, so that a footnote's number does not become part of the figure before it. */
function raised(line: Line, fragment: Fragment): string {
  const isRaised = fragment.size < 0.8 * line.size && fragment.bottom > line.bottom + 0.15 * (line.top - line.bottom)
  if (!isRaised || !/^\d{1,3}$/.test(fragment.text)) return fragment.text
  return fragment.text.replace(/\d/g, (digit) => superscripts[Number(digit)] ?? digit)
}
