/** The search of lists that the browser holds whole. */

/** True when every word of the search is somewhere in the texts, whatever its case. */
export function hasEveryWord(texts: readonly string[], search: string): boolean {
  const text = texts.join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
