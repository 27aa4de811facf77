/**
 * Reads the vectors out of the answer of an embeddings call, as numbers or as base64 of
 * single-precision floats, low byte first.
 * Shape: https://platform.openai.com/docs/api-reference/embeddings/create
 */
import { invalidAnswer } from './check-vectors.ts'

/** The vectors in the order of the inputs. Throws EmbedFailure for an answer that is not `count` vectors. */
export function readVectors(answer: string, count: number): readonly Float32Array[] {
  const data = fieldOf(parsed(answer), 'data')
  if (!Array.isArray(data)) throw invalidAnswer('The embedding model answered without a list of vectors.')
  const items: readonly unknown[] = data
  if (items.length !== count)
    throw invalidAnswer(`The embedding model gave ${items.length} vectors for ${count} texts.`)
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count })
  for (const [at, item] of items.entries()) {
    const index = fieldOf(item, 'index') ?? at
    if (!isPlace(index, count) || vectors[index] !== undefined)
      throw invalidAnswer('The embedding model numbered its vectors in a way that cannot be followed.')
    vectors[index] = vectorOf(fieldOf(item, 'embedding'))
  }
  return vectors.filter((vector) => vector !== undefined)
}

function isPlace(index: unknown, count: number): index is number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count
}

function vectorOf(value: unknown): Float32Array {
  if (typeof value === 'string') return fromBase64(value)
  if (!Array.isArray(value)) throw invalidAnswer('The embedding model gave something that is not a vector.')
  const numbers: readonly unknown[] = value
  const vector = new Float32Array(numbers.length)
  for (const [at, each] of numbers.entries()) vector[at] = typeof each === 'number' ? each : Number.NaN
  return vector
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) throw invalidAnswer('The embedding model gave a vector that was cut off.')
  const vector = new Float32Array(bytes.length / 4)
  for (let at = 0; at < vector.length; at += 1) vector[at] = bytes.readFloatLE(at * 4)
  return vector
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer) as unknown
  } catch (cause) {
    throw invalidAnswer('The embedding model sent an answer that is not JSON.', cause)
  }
}
