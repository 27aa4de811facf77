/** Search in lists that are in the browser's memory. */

/** True when the texts contain every word of the search; case does not matter. */
export function hasEveryWord(texts: readonly string[], search: string): boolean {
  const text = texts.join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
