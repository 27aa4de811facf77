/** The work itself: runs on the thread that encodes, in steps of one window. */
import encoding from 'gpt-tokenizer/encoding/o200k_base'
import { mergedTokens } from './byte-pairs.ts'
import type { Piece, TokenList, TokenResult, TokenWork } from './token-job.ts'
import { windowEnd } from './windows.ts'

/** Parts of the encoder that it does not export: its tokens by rank, and its merge step. */
interface Core {
  readonly bytePairRankDecoder: readonly (string | readonly number[] | undefined)[]
  bytePairMerge: (bytes: Uint8Array) => number[]
}

const core = encoding['bytePairEncodingCoreProcessor'] as Core

/** Tokens of up to six bytes by these as one number, longer ones by a text of one character for each byte. */
const ranks = new Map<number | string, number>()
for (const [rank, token] of core.bytePairRankDecoder.entries()) {
  // The vocabulary has gaps.
  if (token === undefined) continue
  const bytes = typeof token === 'string' ? Buffer.from(token) : Buffer.from(token)
  ranks.set(keyOf(bytes, 0, bytes.length), rank)
}

// The encoder's own merge takes the square of the length; this one gives the same tokens.
core.bytePairMerge = (bytes: Uint8Array) => mergedTokens(bytes.length, (from, to) => ranks.get(keyOf(bytes, from, to)))

function keyOf(bytes: Uint8Array, from: number, to: number): number | string {
  if (to - from > 6) return String.fromCharCode(...bytes.subarray(from, to))
  // The length first: a zero byte in front would be lost.
  let key = to - from
  for (let at = from; at < to; at += 1) key = key * 256 + (bytes[at] ?? 0)
  return key
}

/** Marks such as `<|endoftext|>` are the plain text that they are. */
const plain = { disallowedSpecial: new Set<string>() }

/**
 * Characters after which the encoder forgets the words that it has merged. It keeps 100,000 of them, and a word
 * takes a hundred times as long once it has that many.
 */
const charactersKept = 400_000
let charactersSeen = 0

/** Each step takes some milliseconds. */
export function* stepsOf(work: TokenWork): Generator<void, TokenResult> {
  switch (work.kind) {
    case 'count':
      return yield* each(work.texts, countOf)
    case 'split':
      return yield* each(work.texts, piecesOf)
    case 'tail':
      return yield* each(work.texts, (text) => tailOf(text, work.tokensMax))
    case 'list':
      return yield* each(work.texts, listOf)
    case 'decode':
      return textOf(work.ids)
  }
}

function* each<T>(texts: readonly string[], make: (text: string) => Generator<void, T>): Generator<void, T[]> {
  const made: T[] = []
  for (const text of texts) made.push(yield* make(text))
  return made
}

function* windowsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = windowEnd(text, start)
    charactersSeen += end - start
    if (charactersSeen > charactersKept) {
      encoding.clearMergeCache()
      charactersSeen = 0
    }
    yield text.slice(start, end)
    start = end
  }
}

function* countOf(text: string): Generator<void, number> {
  let total = 0
  for (const window of windowsOf(text.toWellFormed())) {
    total += encoding.countTokens(window, plain)
    yield
  }
  return total
}

/** In pieces of one token each, joined equal to the text (lone surrogates become U+FFFD). */
function* piecesOf(text: string): Generator<void, readonly Piece[]> {
  const pieces: Piece[] = []
  for (const window of windowsOf(text.toWellFormed())) {
    for (const piece of windowPieces(window)) pieces.push(piece)
    yield
  }
  return pieces
}

/** Tokens that share a code point are its text and empty ones, so that the list has as many items as tokens. */
function* listOf(text: string): Generator<void, TokenList> {
  const windows: string[] = []
  let count = 0
  for (const window of windowsOf(text.toWellFormed())) {
    const items: string[] = []
    for (const { text: piece, tokens } of windowPieces(window))
      items.push(piece, ...Array.from({ length: tokens - 1 }, () => ''))
    count += items.length
    windows.push(JSON.stringify(items).slice(1, -1))
    yield
  }
  return { json: windows.join(','), count }
}

function* tailOf(text: string, tokensMax: number): Generator<void, number> {
  const lengths: number[] = []
  const tokens: number[] = []
  for (const window of windowsOf(text.toWellFormed())) {
    for (const piece of windowPieces(window)) {
      lengths.push(piece.text.length)
      tokens.push(piece.tokens)
    }
    yield
  }
  let start = text.length
  let left = tokensMax
  for (let at = lengths.length - 1; at >= 0; at -= 1) {
    left -= tokens[at] ?? 0
    if (left < 0) break
    start -= lengths[at] ?? 0
  }
  return start
}

function* windowPieces(window: string): Generator<Piece> {
  let taken = 0
  let counted = 0
  const ids = encoding.encode(window, plain)
  const counting = (function* () {
    for (const id of ids) {
      taken += 1
      yield id
    }
  })()
  for (const text of encoding.decodeGenerator(counting)) {
    if (text === '') continue
    yield { text, tokens: taken - counted }
    counted = taken
  }
}

/** Undefined when an id is not in the vocabulary. */
function textOf(ids: readonly number[]): string | undefined {
  if (ids.some((id) => id >= encoding.vocabularySize)) return undefined
  try {
    return encoding.decode(ids)
  } catch {
    // The vocabulary has gaps near its end; the decoder throws on an id inside one.
    return undefined
  }
}
