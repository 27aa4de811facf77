/** Splits what is longer than a chunk may be into parts that fit: words, or code points of a word without an end. */
import type { Span } from '#readers/reading.ts'

export interface Part extends Span {
  readonly size: number
}

/** How large parts may be: at most `max`, and grown by whole words until they reach `target`. */
export interface PartLimits {
  readonly target: number
  readonly max: number
}

/** A run is looked at in windows of this many UTF-16 units, so that halving it takes linear time. */
const windowMax = 128
/** White space, or a mark of a script that is written without it. */
const wordEnd = /\s+|[，、；：·।॥،؛]+/g

/** Size of a part of the text. */
export type Measure = (span: Span) => number

/** Parts in order that together cover the span. Larger than `max` only where a single code point is. */
export function splitSpan(text: string, span: Span, measure: Measure, limits: PartLimits): readonly Part[] {
  const parts: Part[] = []
  let grown: Part | undefined
  for (const word of wordsOf(text, span)) {
    for (const piece of halved(text, word, measure, limits.max)) {
      const joined: number = (grown?.size ?? 0) + piece.size
      if (grown !== undefined && joined > limits.target) {
        parts.push(grown)
        grown = piece
      } else {
        grown = { start: grown?.start ?? piece.start, end: piece.end, size: joined }
      }
    }
  }
  if (grown !== undefined) parts.push(grown)
  return parts
}

/** Words with the white space behind them; a long run in windows. */
function* wordsOf(text: string, { start, end }: Span): Generator<Span> {
  let from = start
  // Matched in the slice alone: in the whole text the search for a word's end would leave the span.
  for (const match of [...text.slice(start, end).matchAll(wordEnd), null]) {
    const to = match === null ? end : start + match.index + match[0].length
    while (to - from > windowMax) {
      const cut = graphemeBoundary(text, from + windowMax, from)
      yield { start: from, end: cut }
      from = cut
    }
    if (to > from) yield { start: from, end: to }
    from = to
  }
}

function* halved(text: string, span: Span, measure: Measure, max: number): Generator<Part> {
  const size = measure(span)
  const middle = size <= max ? span.end : graphemeBoundary(text, (span.start + span.end) >> 1, span.start)
  if (middle >= span.end || middle <= span.start) {
    yield { ...span, size }
    return
  }
  yield* halved(text, { start: span.start, end: middle }, measure, max)
  yield* halved(text, { start: middle, end: span.end }, measure, max)
}

const graphemeMax = 32
/** A character that combines with the one before it into one visible character. */
const joinsBefore = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d|[\u{e0020}-\u{e007f}])/u

/**
 * The offset, or one a little before it, where no character is split: neither a surrogate pair nor, within reach,
 * letters with marks, flags and joined emoji. Greater than `after`; the next code point where all else fails.
 */
export function graphemeBoundary(text: string, offset: number, after: number): number {
  for (let cut = offset; cut > after && offset - cut <= graphemeMax; cut--) if (!splitsGrapheme(text, cut)) return cut
  const isInPair = (text.charCodeAt(offset) & 0xfc00) === 0xdc00
  if (!isInPair) return offset
  return offset - 1 > after ? offset - 1 : offset + 1
}

function splitsGrapheme(text: string, cut: number): boolean {
  const behind = text.charCodeAt(cut)
  if (behind < 0x300 && text.charCodeAt(cut - 1) < 0x300) return false
  if ((behind & 0xfc00) === 0xdc00) return true
  if (joinsBefore.test(text.slice(cut, cut + 2)) || text.charCodeAt(cut - 1) === 0x200d) return true
  return isRegional(text, cut) && flagsBefore(text, cut) % 2 === 1
}

/** Regional indicators, two of which make a flag: U+1F1E6 to U+1F1FF. */
function isRegional(text: string, offset: number): boolean {
  const low = text.charCodeAt(offset + 1)
  return text.charCodeAt(offset) === 0xd83c && low >= 0xdde6 && low <= 0xddff
}

function flagsBefore(text: string, offset: number): number {
  let count = 0
  while (count < graphemeMax && isRegional(text, offset - 2 * (count + 1))) count += 1
  return count
}
