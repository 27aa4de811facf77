/**
 * A vector's code: one bit for each dimension, the sign after a rotation. How many bits two codes
 * differ in tells the angle between the vectors; the rotation spreads what an embedder puts into few
 * dimensions over all of them (Charikar, STOC 2002; Gao and Long, "RaBitQ", SIGMOD 2024).
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
  /** Codes one after the other, words in little-endian order. */
  encodeAll(vectors: readonly Float32Array[]): Uint8Array<ArrayBuffer>
}

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
  return {
    dimensions,
    words,
    rotate,
    encode,
    encodeAll(vectors) {
      const codes = new Uint32Array(words * vectors.length)
      for (const [index, vector] of vectors.entries()) codes.set(encode(rotate(vector)), index * words)
      return new Uint8Array(codes.buffer)
    },
  }
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
