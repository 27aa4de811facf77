/** The known name that a mistyped one probably means. */

/**
 * The candidate with the smallest edit distance, or null when none is close enough to be meant: at
 * most two edits, or a third of the name's length.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  let nearest: string | null = null
  let best = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < best) {
      best = distance
      nearest = candidate
    }
  }
  return nearest
}

/** What to advise about an unknown name. */
export function nearestRemedy(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates)
  return nearest === null ? 'Remove it; docs/configuration.md lists all names.' : `Did you mean ${nearest}?`
}

/**
 * Number of single-character insertions, deletions, replacements and swaps of neighbours that turn
 * one text into the other ("optimal string alignment").
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const edited = Math.min(replaced, at(last, column) + 1, at(current, column - 1) + 1)
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(swapped ? Math.min(edited, at(beforeLast, column - 2) + 1) : edited)
    }
    beforeLast = last
    last = current
  }
  return at(last, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
