/** Which words of a passage are those of a query, so that they can be marked. */

export interface Part {
  readonly text: string
  readonly isHit: boolean
}

const wordPattern = /[\p{L}\p{N}]+/gu

/** Words that are in nearly every text; marking them would hide the others. */
const common = new Set(
  'a an and are as at be by can do does for from how i if in is it its of on or that the this to was what when where which who why will with you your'.split(
    ' ',
  ),
)

/** Shorter ones have to be equal; longer ones may have different endings. */
const stemLength = 4

/** The words to mark, small; all of them when the query has nothing but common ones. */
export function wordsOf(query: string): readonly string[] {
  const words = [...new Set((query.match(wordPattern) ?? []).map(plain))]
  const telling = words.filter((word) => !common.has(word))
  return telling.length > 0 ? telling : words
}

/** The text in parts that together are the text. */
export function highlighted(text: string, words: readonly string[]): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(wordPattern)) {
    if (!isOneOf(plain(match[0]), words)) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isHit: false })
    parts.push({ text: match[0], isHit: true })
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHit: false })
  return parts
}

function isOneOf(word: string, words: readonly string[]): boolean {
  return words.some((each) => {
    if (each === word) return true
    const [short, long] = each.length < word.length ? [each, word] : [word, each]
    return short.length >= stemLength && long.length - short.length <= 3 && long.startsWith(short)
  })
}

/** Small, and without accents. */
function plain(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
