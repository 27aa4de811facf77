/**
 * What every embedder's answer is checked for before a vector of it is stored: a wrong one would
 * not fail, it would silently never be found.
 */
import { EmbedFailure } from './embedder.ts'

export interface ExpectedVectors {
  /** How many texts were sent. */
  readonly count: number
  /** The length of the vectors of their space; null when these are its first. */
  readonly dimensions: number | null
}

/**
 * Copies of the vectors, each of length 1 (L2). Throws EmbedFailure unless there is one for each text,
 * all have one dimension, every value is a finite number, and none is all zeros.
 */
export function checkVectors(vectors: readonly Float32Array[], expected: ExpectedVectors): readonly Float32Array[] {
  if (vectors.length !== expected.count)
    throw invalidAnswer(`The embedder gave ${vectors.length} vectors for ${expected.count} texts.`)
  const dimensions = expected.dimensions ?? vectors[0]?.length ?? 0
  return vectors.map((vector) => {
    if (vector.length !== dimensions || dimensions === 0)
      throw invalidAnswer(
        `The embedder gave a vector of ${vector.length} dimensions${dimensions === 0 ? '' : ` where ${dimensions} were expected`}.`,
      )
    return normalized(vector)
  })
}

/** A copy of length 1. Throws EmbedFailure for a vector that has no direction. */
function normalized(vector: Float32Array): Float32Array {
  // Doubles, because the squares of single-precision values may be too large or too small for their own type.
  let squares = 0
  for (const value of vector) squares += value * value
  if (Number.isNaN(squares) || squares === Infinity)
    throw invalidAnswer('The embedder gave a vector with a value that is not a number.')
  if (squares === 0) throw invalidAnswer('The embedder gave a vector of zeros.')
  const length = Math.sqrt(squares)
  return vector.map((value) => value / length)
}

/** The failure of an embedder that answered with what cannot be used. */
export function invalidAnswer(message: string, cause?: unknown): EmbedFailure {
  return new EmbedFailure('embedder_invalid_answer', message, { retryable: true, cause })
}
