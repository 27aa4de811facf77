/**
 * Lines that come again on most pages: running heads, feet and page numbers, which would stand in the middle of the
 * text wherever a page ends.
 */
import { lineText } from './lines.ts'
import type { Line } from './lines.ts'

const fewestPages = 4
const shareOfPages = 0.5
/** Parts of the page's height in which they are looked for. */
const edge = 0.12
/** Points within which a line stands at the same height. */
const sameHeight = 4

/** Share of the steps from page to page in which a number must do what page numbers do. */
const shareOfSteps = 0.75

export interface PageLines {
  readonly lines: readonly Line[]
  readonly height: number
}

interface PlacedLine {
  readonly line: Line
  readonly page: number
  readonly numbers: readonly number[]
}

/**
 * The lines to leave out: all but the first of each kind. Their numbers may only stay or go on with the pages: others
 * are text, such as the ids of the sections at the head of each page.
 */
export function runningLines(pages: readonly PageLines[]): ReadonlySet<Line> {
  const kinds = new Map<string, PlacedLine[]>()
  if (pages.length < fewestPages) return new Set()
  for (const [page, { lines, height }] of pages.entries()) {
    for (const line of lines) {
      const atEdge = line.bottom > (1 - edge) * height || line.top < edge * height
      if (!atEdge || line.turn !== 0) continue
      const whole = lineText(line).trim()
      const text = whole.replace(/\d+/g, '#')
      const placed = { line, page, numbers: (whole.match(/\d+/g) ?? []).map(Number) }
      // Even and odd pages often have them on other sides, so their place across does not matter.
      const kind = `${Math.round(line.bottom / sameHeight)} ${text}`
      const same = kinds.get(kind)
      if (same === undefined) kinds.set(kind, [placed])
      else same.push(placed)
    }
  }
  const left = new Set<Line>()
  for (const same of kinds.values()) {
    if (same.length >= fewestPages && same.length >= 0.5 * shareOfPages * pages.length && numbersRun(same)) {
      for (const { line } of same.slice(1)) left.add(line)
    }
  }
  return left
}

/** Whether each number of the lines stays the same or counts the pages, from nearly each line to the next. */
function numbersRun(lines: readonly PlacedLine[]): boolean {
  const steps = lines.length - 1
  return (lines[0]?.numbers ?? []).every((_, at) => {
    let regular = 0
    for (const [index, { page, numbers }] of lines.entries()) {
      const before = lines[index - 1]
      if (before === undefined) continue
      const step = (numbers[at] ?? 0) - (before.numbers[at] ?? 0)
      if (step === 0 || step === page - before.page) regular += 1
    }
    return regular >= shareOfSteps * steps
  })
}
