/** The vector of a text by feature hashing: see hashing-embedder.ts. */
import { FeatureCounts } from './feature-counts.ts'
import { countFeatures } from './lexical-features.ts'

export const dimensions = 384

const counts = new FeatureCounts()

/** A vector of length 1. The work is linear in the text. */
export function hashedVector(text: string): Float32Array {
  counts.clear()
  countFeatures(text, (feature, weight) => counts.add(feature, weight))
  const vector = new Float32Array(dimensions)
  let squares = 0
  counts.forEach((feature, weight, count) => {
    // A word that comes ten times says more than one that comes once, but not ten times more.
    const value = weight * (1 + Math.log(count))
    const at = Math.floor(((feature >>> 1) / 0x8000_0000) * dimensions)
    vector[at] = (vector[at] ?? 0) + ((feature & 1) === 0 ? value : -value)
  })
  for (const value of vector) squares += value * value
  if (squares === 0) {
    // An empty text, or one whose features cancel out: a direction of its own, near to nothing else.
    vector[dimensions - 1] = 1
    return vector
  }
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}
