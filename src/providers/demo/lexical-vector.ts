/**
 * Turns text into a vector by feature hashing over its words and character trigrams: texts that
 * share words or word parts lie close together. There is no model and no meaning in it; equal text
 * gives an equal vector on every machine.
 * Source: Weinberger et al., Feature Hashing for Large Scale Multitask Learning (2009).
 */

/** Short words are mostly grammar and say little of the subject. */
const shortWordChars = 3
const shortWordWeight = 0.25
const trigramWeight = 0.35

/** The vector of a text, of Euclidean length 1. */
export function lexicalVector(text: string, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions)
  for (const [feature, weight] of featuresOf(text)) {
    const hash = Bun.hash.xxHash32(feature)
    // The lowest bit decides the sign, so that features which share a slot cancel out on average.
    const slot = (hash >>> 1) % dimensions
    sums[slot] = (sums[slot] ?? 0) + (hash & 1 ? weight : -weight)
  }
  const length = Math.hypot(...sums)
  // Text without a single letter or digit has no features; any fixed direction will do.
  if (length === 0) return Float32Array.from(sums, (_, slot) => (slot === 0 ? 1 : 0))
  return Float32Array.from(sums, (sum) => sum / length)
}

/** Features with their weights: a repeated one counts less each time (1 + ln of its count). */
function featuresOf(text: string): Map<string, number> {
  const counts = new Map<string, { count: number; weight: number }>()
  const add = (feature: string, weight: number) => {
    const entry = counts.get(feature) ?? { count: 0, weight }
    entry.count += 1
    counts.set(feature, entry)
  }
  for (const word of wordsOf(text)) {
    const letters = Array.from(word)
    const wordWeight = letters.length <= shortWordChars ? shortWordWeight : 1
    add(`w:${word}`, wordWeight)
    const padded = ['^', ...letters, '$']
    for (let at = 0; at + 3 <= padded.length; at += 1) {
      add(`t:${padded.slice(at, at + 3).join('')}`, wordWeight * trigramWeight)
    }
  }
  return new Map([...counts].map(([feature, { count, weight }]) => [feature, weight * (1 + Math.log(count))]))
}

/** Runs of letters and digits in lower case, without accents and compatibility forms. */
function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
