/**
 * Embeddings in the encoding that the client asks for, whatever the provider sends: the official clients ask for
 * base64 by default, and many model servers know numbers only.
 * Shape: base64 of the vector as 32-bit floating point numbers, least significant byte first.
 */
import { findFields, findItems, replaceSpans, type FieldSpan, type Replacement } from '#lib/json-span.ts'

const dataField = new Set(['data'])
const embeddingField = new Set(['embedding'])
const openBracket = 0x5b

/** Text of vectors that is read at a stretch: some ten milliseconds. Other work has its turn in between. */
const stretchBytes = 262_144
/** A vector of more text than this stays as it is. */
const vectorBytesMax = 1_048_576

/** The answer with each vector that is a list of numbers as base64. What is encoded already stays as it is. */
export async function withBase64(body: Buffer<ArrayBuffer>): Promise<Buffer<ArrayBuffer>> {
  const data = findFields(body, dataField).at(-1)
  if (data === undefined) return body
  const replacements: Replacement[] = []
  let read = 0
  for (const { start, end } of findItems(body, data.valueStart)) {
    if (read > stretchBytes) {
      await new Promise((resolve) => setImmediate(resolve))
      read = 0
    }
    read += end - start
    const vector = findFields(body.subarray(start, end), embeddingField).at(-1)
    const encoded = vector === undefined ? null : encode(body, start, vector)
    if (vector !== undefined && encoded !== null)
      replacements.push({ start: start + vector.valueStart, end: start + vector.valueEnd, text: `"${encoded}"` })
  }
  return replacements.length === 0 ? body : replaceSpans(body, replacements)
}

/** Null for a vector that is not a list of numbers. */
function encode(body: Buffer, offset: number, { valueStart, valueEnd }: FieldSpan): string | null {
  if (body[offset + valueStart] !== openBracket || valueEnd - valueStart > vectorBytesMax) return null
  const text = body.toString('latin1', offset + valueStart + 1, offset + valueEnd - 1).trim()
  const numbers = text === '' ? [] : text.split(',').map(Number)
  if (numbers.some(Number.isNaN)) return null
  const bytes = Buffer.alloc(numbers.length * Float32Array.BYTES_PER_ELEMENT)
  for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, at * Float32Array.BYTES_PER_ELEMENT)
  return bytes.toString('base64')
}
