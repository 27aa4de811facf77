/**
 * Documents to search, the same at every run: texts whose words are as unevenly frequent as those of a
 * language (Zipf), and unit vectors that lie in clusters, as those of embedders do.
 */
import type { NewChunk } from '#store/documents/document-chunks.ts'

export const dimensions = 384
const clusters = 500
const noise = 0.9
const vocabulary = 60_000
const wordsPerChunk = 180

export interface Corpus {
  chunk(ordinal: number): NewChunk
  /** A point of one of the clusters that is in no document. */
  vector(): Float32Array
  /** A question of some words, common ones among them. */
  question(): string
}

/** A corpus of its own for each seed. @param leaning all vectors to one side, with a power-law spectrum besides */
export function corpus(seed: number, leaning = false): Corpus {
  const random = randomNumbers(seed)
  const normal = (): number => Math.sqrt(-2 * Math.log(random() || 1e-9)) * Math.cos(2 * Math.PI * random())
  const centres = Array.from({ length: clusters }, () => unit(Float32Array.from({ length: dimensions }, normal)))
  const word = zipf(random)
  const common = unit(Float32Array.from({ length: dimensions }, normal))
  const vector = (): Float32Array => {
    if (leaning) {
      const own = unit(Float32Array.from({ length: dimensions }, (_each, at) => normal() / Math.sqrt(at + 1)))
      return unit(own.map((value, at) => value + 2 * (common[at] ?? 0)))
    }
    const centre = centres[Math.floor(random() * clusters)]
    const spread = noise / Math.sqrt(dimensions)
    return unit(Float32Array.from({ length: dimensions }, (_each, at) => (centre?.[at] ?? 0) + spread * normal()))
  }
  const text = (words: number): string => Array.from({ length: words }, word).join(' ')
  return {
    vector,
    question: () => text(6),
    chunk: (ordinal) => ({
      ordinal,
      start: ordinal * 1000,
      end: ordinal * 1000 + 900,
      page: 1,
      pageLabel: null,
      headingPath: [text(3)],
      tableHeader: null,
      tokens: 256,
      text: text(wordsPerChunk),
      vector: vector(),
    }),
  }
}

function zipf(random: () => number): () => string {
  const cumulated = new Float64Array(vocabulary)
  let sum = 0
  for (let rank = 0; rank < vocabulary; rank += 1) {
    sum += 1 / (rank + 2.7)
    cumulated[rank] = sum
  }
  return () => {
    const place = random() * sum
    let [low, high] = [0, vocabulary - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((cumulated[middle] ?? 0) < place) low = middle + 1
      else high = middle
    }
    return `w${low.toString(36)}`
  }
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
