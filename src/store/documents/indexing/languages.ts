/**
 * The languages whose words are reduced to their stems (Snowball), how a text's language is guessed, and which words
 * are too common to be looked for. A guess that is wrong costs little: questions are reduced in the way of every
 * language that was guessed so far.
 */
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stopwords as danishStops } from '@orama/stopwords/danish'
import { stopwords as dutchStops } from '@orama/stopwords/dutch'
import { stopwords as englishStops } from '@orama/stopwords/english'
import { stopwords as finnishStops } from '@orama/stopwords/finnish'
import { stopwords as frenchStops } from '@orama/stopwords/french'
import { stopwords as germanStops } from '@orama/stopwords/german'
import { stopwords as hungarianStops } from '@orama/stopwords/hungarian'
import { stopwords as italianStops } from '@orama/stopwords/italian'
import { stopwords as norwegianStops } from '@orama/stopwords/norwegian'
import { stopwords as portugueseStops } from '@orama/stopwords/portuguese'
import { stopwords as romanianStops } from '@orama/stopwords/romanian'
import { stopwords as russianStops } from '@orama/stopwords/russian'
import { stopwords as spanishStops } from '@orama/stopwords/spanish'
import { stopwords as swedishStops } from '@orama/stopwords/swedish'
import { stopwords as turkishStops } from '@orama/stopwords/turkish'

interface Words {
  readonly stem: (word: string) => string
  readonly stops: ReadonlySet<string>
}

function words(stem: (word: string) => string, stops: readonly string[]): Words {
  return { stem, stops: new Set(stops) }
}

/** Keys are ISO 639-1. */
const languages = new Map<string, Words>([
  ['da', words(danish, danishStops)],
  ['de', words(german, germanStops)],
  ['en', words(english, englishStops)],
  ['es', words(spanish, spanishStops)],
  ['fi', words(finnish, finnishStops)],
  ['fr', words(french, frenchStops)],
  ['hu', words(hungarian, hungarianStops)],
  ['it', words(italian, italianStops)],
  ['nl', words(dutch, dutchStops)],
  ['no', words(norwegian, norwegianStops)],
  ['pt', words(portuguese, portugueseStops)],
  ['ro', words(romanian, romanianStops)],
  ['ru', words(russian, russianStops)],
  ['sv', words(swedish, swedishStops)],
  ['tr', words(turkish, turkishStops)],
])

/** Words that are looked at to guess, and the part of them that has to be stop words of one language. */
const guess = { words: 300, part: 0.12, least: 3 }
/** Stems that are remembered; a few words make up most of every text. */
const rememberedMax = 50_000
const remembered = new Map<string, string>()

/** The language with the most stop words among these, which are in lower case; null when none has enough. */
export function guessLanguage(all: readonly string[]): string | null {
  const some = all.slice(0, guess.words)
  let best: { readonly language: string | null; readonly hits: number } = {
    language: null,
    hits: Math.max(guess.least - 1, some.length * guess.part),
  }
  for (const [language, { stops }] of languages) {
    const hits = some.reduce((sum, word) => sum + (stops.has(word) ? 1 : 0), 0)
    if (hits > best.hits) best = { language, hits }
  }
  return best.language
}

/** The word's stem; the word itself without a language, and when it is not a plain word of letters. */
export function stemOf(word: string, language: string | null): string {
  const known = language === null ? undefined : languages.get(language)
  if (known === undefined || word.length > 40 || !letters.test(word)) return word
  const key = `${language} ${word}`
  const seen = remembered.get(key)
  if (seen !== undefined) return seen
  const stem = known.stem(word) || word
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(key, stem)
  return stem
}

const letters = /^[\p{L}\p{M}]+$/u

/** Whether the word says little in one of these languages. */
export function isStopWord(word: string, among: Iterable<string>): boolean {
  for (const language of among) if (languages.get(language)?.stops.has(word)) return true
  return false
}
