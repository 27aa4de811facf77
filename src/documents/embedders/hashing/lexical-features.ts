/**
 * What of a text the hashing embedder looks at: words, pairs of neighbouring words, and runs of four
 * letters inside words, which bring forms of a word together and forgive a typing error. Scripts
 * that are written without spaces (Chinese, Japanese, Thai and others) are taken in single
 * characters and pairs. Case, width of characters and Latin accents make no difference.
 *
 * One pass over the text; no step looks back further than four characters or at more than one word.
 */
import { isStopWord, stopWordWeight } from './stop-words.ts'

/** Called for each occurrence. `feature` is a hash of 32 bits. */
export type OnFeature = (feature: number, weight: number) => void

const pairWeight = 0.4
const partWeight = 0.25
const singleWeight = 0.35
const partLength = 4
/** A longer run is data, not a word: its beginning is enough. */
const wordLengthMax = 64

const separator = 0
const letter = 1
const ideograph = 2
/** A combining accent of Latin, Greek or Cyrillic, a vowel point of Hebrew or Arabic: dropped. */
const accent = 3

/** Seeds keep a word, a pair and a part that happen to be spelled alike apart. */
const seeds = { word: 0x811c9dc5, pair: 0x2c1b3c6d, part: 0x297a2d39, single: 0x5bd1e995 } as const

/** Calls `onFeature` for every feature of the text, in order. A text without a word has its signs as features. */
export function countFeatures(text: string, onFeature: OnFeature): void {
  const normal = text.normalize('NFKD').toLowerCase()
  const word = new WordInProgress(onFeature)
  let found = false
  let ideographBefore = 0
  for (let at = 0; at < normal.length; at += 1) {
    const code = normal.charCodeAt(at)
    const kind = kinds[code]
    if (kind === accent) continue
    if (kind === letter) {
      word.push(code)
      found = true
    } else word.end()
    if (kind === ideograph) {
      found = true
      onFeature(finished(mixed(seeds.single, code)), singleWeight)
      if (ideographBefore !== 0) onFeature(finished(mixed(mixed(seeds.pair, ideographBefore), code)), 1)
    }
    ideographBefore = kind === ideograph ? code : 0
    if (kind === ideograph) word.forgetNeighbour()
  }
  word.end()
  if (!found) countSigns(normal, onFeature)
}

/** For rulers, formulas and emoji: something that tells one such text from another. */
function countSigns(text: string, onFeature: OnFeature): void {
  for (let at = 0; at + 1 < text.length; at += 1)
    onFeature(finished(mixed(mixed(seeds.single, text.charCodeAt(at)), text.charCodeAt(at + 1))), 1)
  if (text.length === 1) onFeature(finished(mixed(seeds.single, text.charCodeAt(0))), 1)
}

/** Collects the letters of a word and gives its features when it ends. */
class WordInProgress {
  readonly #onFeature: OnFeature
  readonly #codes = new Uint16Array(wordLengthMax)
  #length = 0
  #hash: number = seeds.word
  /** Hash of the word before, 0 when there is none. */
  #neighbour = 0

  constructor(onFeature: OnFeature) {
    this.#onFeature = onFeature
  }

  push(code: number): void {
    if (this.#length === wordLengthMax) return
    this.#codes[this.#length] = code
    this.#length += 1
    this.#hash = mixed(this.#hash, code)
  }

  end(): void {
    const length = this.#length
    if (length === 0) return
    const hash = finished(this.#hash)
    const stops = isStopWord(this.#codes, length)
    this.#onFeature(hash, stops ? stopWordWeight : 1)
    if (this.#neighbour !== 0) this.#onFeature(finished(mixed(mixed(seeds.pair, this.#neighbour), hash)), pairWeight)
    if (!stops) this.#countParts(length)
    this.#neighbour = stops ? 0 : hash
    this.#length = 0
    this.#hash = seeds.word
  }

  /** The next word is not adjacent to the last one. */
  forgetNeighbour(): void {
    this.#neighbour = 0
  }

  /** Runs of letters, the word's beginning and end included, so that a prefix differs from letters inside the word. */
  #countParts(length: number): void {
    if (length < partLength) return
    for (let start = -1; start + partLength <= length + 1; start += 1) {
      let hash: number = seeds.part
      for (let at = start; at < start + partLength; at += 1)
        hash = mixed(hash, at < 0 || at >= length ? 0x20 : (this.#codes[at] ?? 0))
      this.#onFeature(finished(hash), partWeight)
    }
  }
}

/** One step of FNV-1a over 16 bits at a time. */
function mixed(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

/** All bits of the result depend on all of the hash (the finalizer of MurmurHash3, A. Appleby, public domain). */
function finished(hash: number): number {
  let bits = hash ^ (hash >>> 16)
  bits = Math.imul(bits, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** First and last of each range. */
const accents = [
  [0x300, 0x36f],
  [0x591, 0x5c7],
  [0x64b, 0x652],
] as const

/** The kind of every UTF-16 code unit. */
const kinds: Uint8Array = tableOfKinds()

function tableOfKinds(): Uint8Array {
  const table = new Uint8Array(65_536)
  const written = /[\p{L}\p{N}\p{M}]/u
  const unspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
  for (let code = 0; code < table.length; code += 1) {
    // Halves of rarer characters, most of them ideographs: a pair of them is the character.
    if (code >= 0xd800 && code <= 0xdfff) table[code] = ideograph
    else if (accents.some(([first, last]) => code >= first && code <= last)) table[code] = accent
    else {
      const character = String.fromCharCode(code)
      if (unspaced.test(character)) table[code] = ideograph
      else table[code] = written.test(character) ? letter : separator
    }
  }
  return table
}
