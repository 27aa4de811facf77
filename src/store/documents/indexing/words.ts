/**
 * Words as they are indexed and looked for, the same on both engines: lower case, without accents, cut
 * at everything that is neither letter nor digit. Scripts that put no spaces between words are cut
 * into pairs of characters, which finds any piece of two or more; what ends a run stands alone too, so
 * that a single character is found as the beginning of something.
 */

export interface QueryWord {
  readonly word: string
  /** Whether words that begin with it count. */
  readonly prefix: boolean
}

/** Longer words are cut: users do not type them, and an index has limits. */
const wordMax = 64
/** Words of one query that count; the rest of a long text adds time and little else. */
const queryWordsMax = 32

const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const asciiWord = /[a-z0-9]+/g
const anyWord = /[\p{L}\p{N}\p{M}]+/gu
const unspacedRun = new RegExp(`([${unspaced}]+)|[^${unspaced}]+`, 'gu')
const ascii = /^[\0-\x7f]*$/
const accents = /[\u0300-\u036f]/g

/** The words of a text in their order. */
export function foldedWords(text: string): readonly string[] {
  return cut(text).flatMap(({ part, run }) => {
    if (!run) return part
    const characters = Array.from(part)
    return [...pairs(characters), characters.at(-1) ?? '']
  })
}

/** The different words that a query asks for. */
export function queryWords(text: string): readonly QueryWord[] {
  const words = new Map<string, QueryWord>()
  for (const { part, run } of cut(text)) {
    const characters = run ? Array.from(part) : []
    const each = characters.length > 1 ? pairs(characters) : [part]
    for (const word of each) {
      if (words.size < queryWordsMax) words.set(word, { word, prefix: run && characters.length === 1 })
    }
  }
  return [...words.values()]
}

/** PostgreSQL counts positions up to this, and so many of one word. */
const positionMax = 16_383
const positionsMax = 255

/** The words of a chunk and of its headings as the text of a tsvector; headings have weight B. */
export function wordVector(text: string, heading: string): string {
  const positions = new Map<string, string[]>()
  let position = 0
  const add = (words: readonly string[], weight: string): void => {
    for (const word of words) {
      position = Math.min(position + 1, positionMax)
      const seen = positions.get(word)
      if (seen === undefined) positions.set(word, [`${position}${weight}`])
      else if (seen.length < positionsMax) seen.push(`${position}${weight}`)
    }
  }
  add(foldedWords(heading), 'B')
  add(foldedWords(text), '')
  return [...positions].map(([word, places]) => `'${word}':${places.join(',')}`).join(' ')
}

interface Part {
  readonly part: string
  /** The part is of a script without spaces. */
  readonly run: boolean
}

function cut(text: string): readonly Part[] {
  if (ascii.test(text)) return [...text.toLowerCase().matchAll(asciiWord)].map(([word]) => plain(word))
  const folded = text.normalize('NFKD').replaceAll(accents, '').normalize('NFC').toLowerCase()
  return [...folded.matchAll(anyWord)].flatMap(([word]) =>
    ascii.test(word)
      ? plain(word)
      : [...word.matchAll(unspacedRun)].map(([part, run]) => (run === undefined ? plain(part) : { part, run: true })),
  )
}

function plain(word: string): Part {
  return { part: word.length > wordMax ? word.slice(0, wordMax).toWellFormed() : word, run: false }
}

function pairs(characters: readonly string[]): readonly string[] {
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`)
}
