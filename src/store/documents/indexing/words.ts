/**
 * Words as they are indexed and looked for, the same on both engines: lower case, reduced to the stem in the text's
 * language, without accents, cut at everything that is neither letter nor digit. Scripts that put no spaces between
 * words are cut into pairs of characters, which finds any piece of two or more; what ends a run is also there alone,
 * so that a single character is found as the beginning of something.
 *
 * How much a word weighs in a chunk is BM25's part of it that does not depend on other chunks, in four levels: a chunk
 * has the word itself as a term, and with a mark for each level above the first. So an index that knows only which
 * chunks have a term is enough to rank, and every engine ranks alike.
 */
import { guessLanguage, isStopWord, stemOf } from './languages.ts'

export interface QueryWord {
  /** Terms that count as this word: its stems in the languages of the documents, and itself. */
  readonly terms: readonly string[]
  /** Whether terms that begin with them count. */
  readonly prefix: boolean
}

/** What a term's level adds to the level before: BM25's tf · (k1 + 1) / (tf + K), divided by k1 + 1. */
export const levelGains = [0.45, 0.15, 0.12, 0.13] as const
/** Marks of the levels; folding makes plain digits of such characters, so no word has them. */
export const levelMarks = ['', '\u00b2', '\u00b3', '\u2074'] as const
/** From which weight on a term has a level. */
const levelsFrom = [0, 0.52, 0.67, 0.78] as const
/** BM25's parameters; `usual` is the length that is neither favoured nor disfavoured, in words. */
const bm25 = { k1: 1.2, b: 0.75, usual: 200 }
/** A word of a heading counts as so many of the text. */
const headingWeight = 1.5

/** Longer words are cut: users do not type them, and an index has limits. */
const wordMax = 64
/** Words of one query that count; the rest of a long text adds time and little else. */
const queryWordsMax = 32

const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const asciiWord = /[a-z0-9]+/g
const anyWord = /[\p{L}\p{N}\p{M}]+/gu
const unspacedRun = new RegExp(`([${unspaced}]+)|[^${unspaced}]+`, 'gu')
const ascii = /^[\0-\x7f]*$/
/** Between two marks, one of the pairs that people type. */
const quotedText =
  /"([^"]{1,400})"|\u201c([^\u201c\u201d]{1,400})\u201d|\u201e([^\u201c\u201d]{1,400})[\u201c\u201d]|\u00ab([^\u00bb]{1,400})\u00bb/g
const phrasesMax = 8
const accents = /[\u0300-\u036f]/g

/** The language of a text; null when it cannot be told. */
export function languageOf(text: string): string | null {
  return guessLanguage(cut(text).flatMap(({ part, run }) => (run ? [] : part)))
}

/** The words of a text in their order. */
export function foldedWords(text: string, language: string | null): readonly string[] {
  return cut(text).flatMap(({ part, run }) => {
    if (!run) return folded(stemOf(part, language)) || []
    const characters = Array.from(part)
    return [...pairs(characters), characters.at(-1) ?? '']
  })
}

/** The different words that a query asks for, without stop words if there are others. A star ends a beginning. */
export function queryWords(text: string, languages: readonly string[]): readonly QueryWord[] {
  const words = new Map<string, QueryWord & { readonly stop: boolean }>()
  const add = (word: string, each: QueryWord, stop: boolean): void => {
    const key = each.prefix ? `${word}*` : word
    if (words.size < queryWordsMax) words.set(key, { ...each, stop })
  }
  for (const { part, run, star } of cut(text)) {
    if (run) {
      const characters = Array.from(part)
      const each = characters.length > 1 ? pairs(characters) : [part]
      for (const term of each) add(term, { terms: [term], prefix: characters.length === 1 }, false)
    } else if (folded(part) === '')
      // A mark alone folds to nothing, and texts have no such word either.
      continue
    else if (star) add(part, { terms: [folded(part)], prefix: true }, false)
    else {
      const stems = [null, ...languages].map((language) => folded(stemOf(part, language)) || folded(part))
      add(part, { terms: [...new Set(stems)], prefix: false }, isStopWord(part, languages))
    }
  }
  const all = [...words.values()]
  const telling = all.filter(({ stop }) => !stop)
  return (telling.length > 0 ? telling : all).map(({ terms, prefix }) => ({ terms, prefix }))
}

/** Words with the level of their weight, from 0 on. */
export type WordLevels = ReadonlyMap<string, number>

/** The words of a chunk with those of its headings. */
export function chunkWords(text: string, heading: string, language: string | null): WordLevels {
  const counts = new Map<string, number>()
  const words = foldedWords(text, language)
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const word of foldedWords(heading, language)) counts.set(word, (counts.get(word) ?? 0) + headingWeight)
  const slowness = bm25.k1 * (1 - bm25.b + (bm25.b * words.length) / bm25.usual)
  for (const [word, count] of counts) {
    const weight = count / (count + slowness)
    counts.set(
      word,
      Math.max(
        0,
        levelsFrom.findLastIndex((least) => weight >= least),
      ),
    )
  }
  return counts
}

/** A term for each level of each word. */
export function markedTerms(words: WordLevels): readonly string[] {
  return [...words].flatMap(([word, highest]) => levelMarks.slice(0, highest + 1).map((mark) => `${word}${mark}`))
}

/** A text in which a phrase of whole words is found by `includes`, with whatever marks between the words. */
export function phraseText(text: string): string {
  const parts = cut(text).flatMap(({ part, run }) => (run ? Array.from(part) : folded(part) || []))
  return ` ${parts.join(' ')} `
}

/** What a query has in quotation marks, each as `phraseText`; those of one word are words like others. */
export function phrasesOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(quotedText)].map(([, ...forms]) => phraseText(forms.find((form) => form) ?? ''))
  const phrases = quoted.filter((phrase) => phrase.trim().includes(' '))
  return [...new Set(phrases)].slice(0, phrasesMax)
}

interface Part {
  readonly part: string
  /** The part is of a script without spaces. */
  readonly run: boolean
  readonly star: boolean
}

function cut(text: string): readonly Part[] {
  const lower = ascii.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase().normalize('NFC')
  return [...lower.matchAll(ascii.test(lower) ? asciiWord : anyWord)].flatMap(({ 0: word, index }) => {
    const star = lower[index + word.length] === '*'
    if (ascii.test(word)) return { part: shortened(word), run: false, star }
    return [...word.matchAll(unspacedRun)].map(([part, run]) => ({
      part: run === undefined ? shortened(part) : part,
      run: run !== undefined,
      star,
    }))
  })
}

function folded(word: string): string {
  return ascii.test(word) ? word : word.normalize('NFKD').replaceAll(accents, '').normalize('NFC').toLowerCase()
}

function shortened(word: string): string {
  return word.length > wordMax ? word.slice(0, wordMax).toWellFormed() : word
}

function pairs(characters: readonly string[]): readonly string[] {
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`)
}
