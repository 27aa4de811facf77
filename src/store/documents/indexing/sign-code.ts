/**
 * A vector's code: one bit for each dimension, the sign of what a centre leaves of the unit vector, after a rotation.
 * How many bits two codes differ in tells the angle between the vectors; the rotation spreads what an embedder puts
 * into few dimensions over all of them (Charikar, STOC 2002; Gao and Long, "RaBitQ", SIGMOD 2024). The centre takes
 * away what all vectors of an embedder have in common, which would make all codes alike. Two scales for each code make
 * distances comparable, also between codes of different centres.
 *
 * Codes are stored, so the rotation must never change. It is made of random signs and fast Hadamard
 * transforms over the first and the last 2^k dimensions in turns, which costs d·log d and takes any
 * number of dimensions.
 */

export interface SignCoder {
  readonly dimensions: number
  /** 32-bit words of a code. */
  readonly words: number
  /** The vector as codes see it, filled up with zeros to whole words. */
  rotate(vector: Float32Array): Float32Array
  /** The code of a rotated vector. */
  encode(rotated: Float32Array): Uint32Array
  /** What the centre, a rotated vector, leaves of the unit vector in this direction; of the whole one without a centre. */
  residual(vector: Float32Array, centre: Float32Array | null): Float32Array
  encodeAll(vectors: readonly Float32Array[], centre: Float32Array | null): Codes
}

export interface Codes {
  /** One after the other, words in little-endian order. */
  readonly codes: Uint8Array<ArrayBuffer>
  /**
   * For each code two numbers of 16 bits, little-endian. The first is by what a product with the signs is multiplied
   * to get one with the residual, times the root of the dimensions; the second is the residual's squared length.
   */
  readonly scales: Uint8Array<ArrayBuffer>
}

/** The number that means 1 in the scales. */
export const scaleUnit = 16_384
/** The scales of codes that were stored without any: unit vectors, with the average product of vectors and their signs. */
export const plainScales = Uint16Array.of(Math.round(Math.sqrt(Math.PI / 2) * scaleUnit), scaleUnit)

const rounds = 4
const wordBits = 32
const coders = new Map<number, SignCoder>()

/** The coder for vectors of this many dimensions. */
export function signCoder(dimensions: number): SignCoder {
  const known = coders.get(dimensions)
  if (known !== undefined) return known
  const made = makeCoder(dimensions)
  coders.set(dimensions, made)
  return made
}

function makeCoder(dimensions: number): SignCoder {
  const words = Math.ceil(dimensions / wordBits)
  const signs = randomSigns(dimensions * rounds)
  const block = 2 ** Math.floor(Math.log2(Math.max(1, dimensions)))
  const rotate = (vector: Float32Array): Float32Array => {
    if (vector.length !== dimensions) {
      throw new Error(`A vector of ${vector.length} dimensions cannot be searched among those of ${dimensions}.`)
    }
    const rotated = new Float32Array(words * wordBits)
    rotated.set(vector)
    for (let round = 0; round < rounds; round += 1) {
      for (let at = 0; at < dimensions; at += 1) {
        rotated[at] = (rotated[at] ?? 0) * (signs[round * dimensions + at] ?? 1)
      }
      hadamard(rotated, round % 2 === 0 ? 0 : dimensions - block, block)
    }
    return rotated
  }
  const encode = (rotated: Float32Array): Uint32Array => {
    const code = new Uint32Array(words)
    for (let at = 0; at < rotated.length; at += 1) {
      if ((rotated[at] ?? 0) > 0) code[at >>> 5] = (code[at >>> 5] ?? 0) | (1 << (at & 31))
    }
    return code
  }
  const residual = (vector: Float32Array, centre: Float32Array | null): Float32Array => {
    const rotated = rotate(vector)
    const length = Math.sqrt(sumOf(rotated, (value) => value * value))
    for (let at = 0; at < rotated.length; at += 1) {
      rotated[at] = (length === 0 ? 0 : (rotated[at] ?? 0) / length) - (centre?.[at] ?? 0)
    }
    return rotated
  }
  return {
    dimensions,
    words,
    rotate,
    encode,
    residual,
    encodeAll(vectors, centre) {
      const codes = new Uint32Array(words * vectors.length)
      const scales = new Uint16Array(2 * vectors.length)
      for (const [index, vector] of vectors.entries()) {
        const left = residual(vector, centre)
        codes.set(encode(left), index * words)
        const squares = sumOf(left, (value) => value * value)
        const product = sumOf(left, Math.abs)
        scales[2 * index] = scaled(product === 0 ? 0 : (squares / product) * Math.sqrt(dimensions))
        scales[2 * index + 1] = scaled(squares)
      }
      return { codes: new Uint8Array(codes.buffer), scales: new Uint8Array(scales.buffer) }
    },
  }
}

/** The mean of the unit vectors in these directions. */
export function meanDirection(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    const length = Math.sqrt(sumOf(vector, (value) => value * value))
    if (length === 0) continue
    for (let at = 0; at < mean.length; at += 1) {
      mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0) / length / vectors.length
    }
  }
  return mean
}

function scaled(value: number): number {
  return Math.min(65_535, Math.round(value * scaleUnit))
}

function sumOf(values: Float32Array, part: (value: number) => number): number {
  let sum = 0
  for (let at = 0; at < values.length; at += 1) sum += part(values[at] ?? 0)
  return sum
}

/** Transforms `length` values in place; orthogonal, and `length` is a power of two. */
function hadamard(values: Float32Array, start: number, length: number): void {
  const scale = 1 / Math.sqrt(length)
  for (let half = 1; half < length; half *= 2) {
    for (let pair = start; pair < start + length; pair += 2 * half) {
      for (let at = pair; at < pair + half; at += 1) {
        const a = values[at] ?? 0
        const b = values[at + half] ?? 0
        values[at] = a + b
        values[at + half] = a - b
      }
    }
  }
  for (let at = start; at < start + length; at += 1) values[at] = (values[at] ?? 0) * scale
}

/** The same at every call, on every machine (xorshift32, Marsaglia 2003). */
function randomSigns(length: number): Float32Array {
  let state = 0x9e3779b9
  return Float32Array.from({ length }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0x10000 ? 1 : -1
  })
}
