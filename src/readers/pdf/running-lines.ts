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

export interface PageLines {
  readonly lines: readonly Line[]
  readonly height: number
}

/** The lines to leave out: all but the first of each kind, whose numbers may differ. */
export function runningLines(pages: readonly PageLines[]): ReadonlySet<Line> {
  const kinds = new Map<string, Line[]>()
  if (pages.length < fewestPages) return new Set()
  for (const { lines, height } of pages) {
    for (const line of lines) {
      const atEdge = line.bottom > (1 - edge) * height || line.top < edge * height
      if (!atEdge || line.turn !== 0) continue
      const text = lineText(line).replace(/\d+/g, '#').trim()
      // Even and odd pages often have them on other sides, so their place across does not matter.
      const kind = `${Math.round(line.bottom / sameHeight)} ${text}`
      const same = kinds.get(kind)
      if (same === undefined) kinds.set(kind, [line])
      else same.push(line)
    }
  }
  const left = new Set<Line>()
  for (const same of kinds.values()) {
    if (same.length >= fewestPages && same.length >= 0.5 * shareOfPages * pages.length) {
      for (const line of same.slice(1)) left.add(line)
    }
  }
  return left
}
