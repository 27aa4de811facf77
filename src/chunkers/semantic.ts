/**
 * Chunks that end where the subject changes. Two phases, since vectors come from elsewhere:
 *
 * 1. `semanticChunker.chunk` cuts the reading into short passages, to be embedded one by one.
 * 2. `semanticGroups` says from their vectors which of them belong together, and `joinPassages` makes
 *    one chunk of those. Both are pure, do not use the reading, and take linear time.
 *
 * A table's header that is repeated comes on top of `units` here: its tokens are not known in phase two.
 */
import { cheapestGroups, type Group } from './cheapest-groups.ts'
import type { Chunk, ChunkOptions, Chunker } from './chunk.ts'
import { isHeaderRepeated } from './pieces.ts'
import { withProvenance } from './provenance.ts'
import { structuredSpans } from './structured-spans.ts'

export interface SemanticOptions extends ChunkOptions {
  /** A change of subject is a distance above this share of all distances, in percent. 0 to 100. */
  readonly percentile: number
}

/** Three changes in a document of thirty passages. */
export const defaultPercentile = 90

/** Tokens of a passage: two or three sentences. One alone is often too short to say what it is about. */
const passageTokens = 64
const passagesPerChunk = 4
/** Passages on either side that are compared: one odd sentence is not a change of subject. */
const sidePassages = 2
/** Dearer than a chunk can cost, so a change of subject is always cut at. */
const changeCost = -4

/** Phase one: passages of at most a quarter of `units` tokens, without overlap. The overlap is made in phase two. */
export const semanticChunker: Chunker = {
  name: 'semantic',
  unit: 'tokens',
  defaults: { units: 256, overlap: 0 },
  unitsMax: 8192,
  chunk(reading, { units }, countTokens) {
    const limits = { units: Math.max(1, Math.min(passageTokens, Math.floor(units / passagesPerChunk))), overlap: 0 }
    const unit = { sizeOf: countTokens, spaceJoins: true }
    return withProvenance(reading, structuredSpans(reading, limits, unit), {
      tokensOf: ({ size }) => size,
      repeatsHeader: (header) => isHeaderRepeated(header, { units, overlap: 0 }, unit),
    })
  },
}

/**
 * Phase two: which passages make a chunk. In order; together they hold every passage, and with an overlap a group
 * begins with passages that end the one before. At most `units` tokens each but where one passage has more.
 *
 * `vectors` are of any length but zero, one per passage and of one model; throws RangeError when one is missing.
 */
export function semanticGroups(
  passages: readonly Pick<Chunk, 'tokens'>[],
  vectors: readonly ArrayLike<number>[],
  options: SemanticOptions,
): readonly Group[] {
  if (vectors.length !== passages.length) {
    throw new RangeError(`There are ${passages.length} passages and ${vectors.length} vectors.`)
  }
  const distances = distancesBetween(vectors)
  const change = percentileOf(distances, options.percentile)
  const items = passages.map(({ tokens }, index) => {
    const distance = distances[index - 1] ?? 0
    const penalty = distance > change ? changeCost : 1 - (change > 0 ? distance / change : 0)
    return { size: tokens, spaceSize: 0, headerSize: 0, penalty }
  })
  const { units, overlap } = options
  const groups = cheapestGroups(items, { units, overlap })
  return overlap === 0 ? groups : overlapped(passages, groups, options)
}

/** One chunk of passages that follow each other. Its tokens are their sum: an upper bound, off by a few. */
export function joinPassages<Passage extends Chunk & { readonly text: string }>(passages: readonly Passage[]): Passage {
  const [first, last] = [passages[0], passages.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError('A chunk needs at least one passage.')
  return {
    ...first,
    end: last.end,
    tokens: passages.reduce((sum, { tokens }) => sum + tokens, 0),
    text: passages.map(({ text }) => text).join(''),
  }
}

/** Cosine distances between the passages before and after each boundary; one fewer than vectors. */
function distancesBetween(vectors: readonly ArrayLike<number>[]): readonly number[] {
  const units = vectors.map(normalized)
  return units.slice(1).map((_, index) => {
    const boundary = index + 1
    const before = added(units.slice(Math.max(0, boundary - sidePassages), boundary))
    const behind = added(units.slice(boundary, boundary + sidePassages))
    return 1 - cosine(before, behind)
  })
}

function normalized(vector: ArrayLike<number>): Float64Array {
  const copy = Float64Array.from(vector)
  const norm = Math.sqrt(copy.reduce((total, value) => total + value * value, 0))
  return norm > 0 ? copy.map((value) => value / norm) : copy
}

function added(vectors: readonly Float64Array[]): Float64Array {
  const total = new Float64Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let index = 0; index < total.length; index++) total[index] = (total[index] ?? 0) + (vector[index] ?? 0)
  return total
}

/** 0 when one of them is nothing. */
function cosine(a: Float64Array, b: Float64Array): number {
  let [dot, normA, normB] = [0, 0, 0]
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0]
    dot += x * y
    normA += x * x
    normB += y * y
  }
  return normA > 0 && normB > 0 ? dot / Math.sqrt(normA * normB) : 0
}

/** Nearest rank. */
function percentileOf(values: readonly number[], percentile: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percentile) / 100) - 1)] ?? 0
}

function overlapped(
  passages: readonly Pick<Chunk, 'tokens'>[],
  groups: readonly Group[],
  { units, overlap }: ChunkOptions,
): readonly Group[] {
  let begun = -1
  return groups.map(({ from, to }) => {
    let first = from
    let repeated = 0
    const own = passages.slice(from, to).reduce((total, { tokens }) => total + tokens, 0)
    for (let index = from - 1; index > begun; index--) {
      repeated += passages[index]?.tokens ?? 0
      if (repeated > overlap || own + repeated > units) break
      first = index
    }
    begun = first
    return { from: first, to }
  })
}
