/** The words of a search in a text: which words are hits, and the part of the text that shows them. */

export interface TextPart {
  readonly text: string
  readonly isHit: boolean
}

const wordPattern = /[\p{L}\p{N}]+/gu

/** Words that nearly every text has. Marking them would hide the others. */
const commonWords = new Set(
  'a an and are as at be by can do does for from how i if in is it its of on or that the this to was what when where which who why will with you your'.split(
    ' ',
  ),
)

/** Shorter words must be equal; longer words may have different endings. */
const stemLength = 4

/** The words of a search, in lower case and without accents. Common words count only when there are no others. */
export function searchWords(query: string): readonly string[] {
  const words = [...new Set((query.match(wordPattern) ?? []).map(folded))]
  const rare = words.filter((word) => !commonWords.has(word))
  return rare.length > 0 ? rare : words
}

/** The text in parts, each a hit or not. Joined, the parts are the text. */
export function highlighted(text: string, words: readonly string[]): readonly TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(wordPattern)) {
    if (!isHit(match[0], words)) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isHit: false })
    parts.push({ text: match[0], isHit: true })
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHit: false })
  return parts
}

/** About this many characters of a text, around the first hit. */
export function excerpt(text: string, words: readonly string[], length = 240): string {
  if (text.length <= length) return text
  const at = firstHit(text, words)
  const from = at < length / 2 ? 0 : at - Math.floor(length / 3)
  const part = text.slice(from, from + length)
  // Begins and ends between two words.
  const begun = from === 0 ? part : `… ${part.replace(/^\S*\s/, '')}`
  return from + length >= text.length ? begun : `${begun.replace(/\s\S*$/, '')} …`
}

function firstHit(text: string, words: readonly string[]): number {
  for (const match of text.matchAll(wordPattern)) if (isHit(match[0], words)) return match.index
  return 0
}

function isHit(word: string, words: readonly string[]): boolean {
  const found = folded(word)
  return words.some((each) => {
    if (each === found) return true
    const [short, long] = each.length < found.length ? [each, found] : [found, each]
    return short.length >= stemLength && long.length - short.length <= 3 && long.startsWith(short)
  })
}

/** The word in lower case and without accents. */
function folded(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
