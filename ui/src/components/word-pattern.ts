/** The words of a question in a text: where they are, and the part of the text that shows them. */

/** The words of a question, each once, without those that say nothing by themselves. */
export function wordsOf(question: string): readonly string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words)].filter((word) => word.length > 2)
}

/** About this many characters of a text, around the first of the words. */
export function excerpt(text: string, words: readonly string[], length = 240): string {
  if (text.length <= length) return text
  const at = Math.max(0, text.search(wordPattern(words) ?? /^/))
  const from = at < length / 2 ? 0 : at - Math.floor(length / 3)
  const part = text.slice(from, from + length)
  // Not in the middle of a word.
  const begun = from === 0 ? part : `… ${part.replace(/^\S*\s/, '')}`
  return from + length >= text.length ? begun : `${begun.replace(/\s\S*$/, '')} …`
}

/** Splits a text at the beginnings of words; null when there are none. */
export function wordPattern(words: readonly string[]): RegExp | null {
  if (words.length === 0) return null
  const each = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(String.raw`(?<![\p{L}\p{N}])((?:${each.join('|')})[\p{L}\p{N}]*)`, 'giu')
}
