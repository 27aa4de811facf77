/**
 * The words of neighbouring chunks as one value: for a search within few documents, which reads what those hold instead
 * of the lists of all chunks that have a word. Words are sorted by their bytes, and each is followed by the chunks that
 * have it. The first of every eight has its place noted, so a word is found in some ten steps.
 *
 * 4 bytes: how many chunks, then three for how many words. 4 bytes for each eight words: where they begin. Then for each
 * word its length in a byte, its bytes, and a byte for each chunk: place (5 bits), level (2), whether it is the last (1).
 */
import type { WordLevels } from './words.ts'

/** Chunks that one value can hold. */
export const packedMax = 32

const together = 8
const headBytes = 4
const lastMark = 0x80
/** Longer words differ in these bytes. */
const wordBytesMax = 255

const bytesOf = (word: string): Uint8Array => Buffer.from(word).subarray(0, wordBytesMax)

/** Packs the words of up to `packedMax` chunks, in their order. */
export function packWords(chunks: readonly WordLevels[]): Buffer {
  if (chunks.length > packedMax) throw new RangeError(`Words of at most ${packedMax} chunks are packed together.`)
  const postings = new Map<string, number[]>()
  for (const [place, words] of chunks.entries()) {
    for (const [word, level] of words) {
      const posting = place | (level << 5)
      const known = postings.get(word)
      if (known === undefined) postings.set(word, [posting])
      else known.push(posting)
    }
  }
  const entries = [...postings].map(([word, its]) => ({ word: bytesOf(word), its }))
  entries.sort((a, b) => Buffer.compare(a.word, b.word))
  const starts = Math.ceil(entries.length / together)
  const size = entries.reduce((sum, { word, its }) => sum + 1 + word.length + its.length, headBytes + 4 * starts)
  const packed = Buffer.alloc(size)
  packed.writeUInt32LE((chunks.length << 24) | entries.length)
  let at = headBytes + 4 * starts
  for (const [index, { word, its }] of entries.entries()) {
    if (index % together === 0) packed.writeUInt32LE(at, headBytes + (4 * index) / together)
    packed[at] = word.length
    packed.set(word, at + 1)
    at += 1 + word.length
    for (const [each, posting] of its.entries()) packed[at++] = posting | (each === its.length - 1 ? lastMark : 0)
  }
  return packed
}

/** How many chunks a value holds. */
export function packedChunks(packed: Uint8Array): number {
  return packed[3] ?? 0
}

/** A word to look up in many values. */
export interface PackedWord {
  readonly terms: readonly Uint8Array[]
  readonly prefix: boolean
}

/** Terms as they are looked up. */
export function packedWord({
  terms,
  prefix,
}: {
  readonly terms: readonly string[]
  readonly prefix: boolean
}): PackedWord {
  return { terms: terms.map(bytesOf), prefix }
}

/**
 * Calls back with each chunk that has one of the word's terms, once, and with the highest level that one of them has in
 * it. What only begins like a term has it at level 0.
 */
export function eachHaving(
  packed: Uint8Array,
  { terms, prefix }: PackedWord,
  found: (place: number, level: number) => void,
): void {
  const [only] = terms
  // Almost every lookup is for one term, whose chunks come once each.
  if (only !== undefined && terms.length === 1 && !prefix) {
    const at = postingsOf(packed, only)
    if (at > 0) eachPosting(packed, at, found)
    return
  }
  const levels = new Int8Array(packedMax).fill(-1)
  for (const term of terms) {
    if (prefix) eachBeginning(packed, term, (place) => (levels[place] = Math.max(levels[place] ?? 0, 0)))
    const at = postingsOf(packed, term)
    if (at > 0) eachPosting(packed, at, (place, level) => (levels[place] = Math.max(levels[place] ?? 0, level)))
  }
  for (const [place, level] of levels.entries()) if (level >= 0) found(place, level)
}

function eachPosting(packed: Uint8Array, from: number, found: (place: number, level: number) => void): void {
  for (let at = from; at < packed.length; at += 1) {
    const posting = packed[at] ?? lastMark
    found(posting & 31, (posting >> 5) & 3)
    if (posting >= lastMark) return
  }
}

/** Where the chunks of this very word are; 0 when the value does not have it. */
function postingsOf(packed: Uint8Array, term: Uint8Array): number {
  const { at, end } = blockOf(packed, term)
  for (let entry = at; entry < end;) {
    const order = compared(packed, entry, term)
    const postings = entry + 1 + (packed[entry] ?? 0)
    if (order === 0) return postings
    if (order > 0) return 0
    entry = afterPostings(packed, postings)
  }
  return 0
}

function eachBeginning(packed: Uint8Array, term: Uint8Array, found: (place: number) => void): void {
  for (let entry = blockOf(packed, term).at; entry < packed.length;) {
    const length = packed[entry] ?? 0
    const postings = entry + 1 + length
    const begins = length >= term.length && term.every((byte, at) => packed[entry + 1 + at] === byte)
    if (begins) eachPosting(packed, postings, found)
    else if (compared(packed, entry, term) > 0) return
    entry = afterPostings(packed, postings)
  }
}

/** The words among which the term is, if it is anywhere. */
function blockOf(packed: Uint8Array, term: Uint8Array): { readonly at: number; readonly end: number } {
  const words = (packed[0] ?? 0) | ((packed[1] ?? 0) << 8) | ((packed[2] ?? 0) << 16)
  let [low, high] = [0, Math.ceil(words / together) - 1]
  if (high < 0) return { at: packed.length, end: packed.length }
  const last = high
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (compared(packed, startOf(packed, middle), term) <= 0) low = middle
    else high = middle - 1
  }
  return { at: startOf(packed, low), end: low === last ? packed.length : startOf(packed, low + 1) }
}

function startOf(packed: Uint8Array, block: number): number {
  const at = headBytes + 4 * block
  return (
    (packed[at] ?? 0) | ((packed[at + 1] ?? 0) << 8) | ((packed[at + 2] ?? 0) << 16) | ((packed[at + 3] ?? 0) << 24)
  )
}

/** Below 0 when the word of this entry comes before the term, 0 when it is the term. */
function compared(packed: Uint8Array, entry: number, term: Uint8Array): number {
  const length = packed[entry] ?? 0
  const common = Math.min(length, term.length)
  for (let at = 0; at < common; at += 1) {
    const difference = (packed[entry + 1 + at] ?? 0) - (term[at] ?? 0)
    if (difference !== 0) return difference
  }
  return length - term.length
}

function afterPostings(packed: Uint8Array, from: number): number {
  let at = from
  while (at < packed.length && (packed[at] ?? lastMark) < lastMark) at += 1
  return at + 1
}
