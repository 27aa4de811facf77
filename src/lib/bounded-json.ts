/**
 * JSON of a caller as a value, at a cost that is known before it is paid. Building a value costs by the
 * number of its parts, not of its bytes: a mebibyte of text is nothing, a mebibyte of tiny fields holds
 * the thread up for a tenth of a second. The parts are counted first, by one pass over the bytes.
 */

/** What a value may hold. */
export interface JsonLimits {
  /** Everything in it, names not counted; an object or a list counts twice. */
  readonly valuesMax: number
  /** Fields of one object. */
  readonly fieldsMax: number
  /** Objects and lists inside each other. */
  readonly depthMax: number
}

/** Far above what any client of the APIs sends, and parsed within a few milliseconds. */
export const usualJsonLimits: JsonLimits = { valuesMax: 50_000, fieldsMax: 5000, depthMax: 200 }

/** The text may well be JSON, but it is not built: it holds more than the limits allow. */
export class JsonTooComplex extends Error {
  override readonly name = 'JsonTooComplex'
}

/** The value. Throws JsonTooComplex, and a SyntaxError for what is not JSON. */
export function parseBounded(bytes: Uint8Array, limits: JsonLimits = usualJsonLimits): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  checkJsonLimits(buffer, limits)
  return JSON.parse(buffer.toString()) as unknown
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Throws JsonTooComplex for JSON over the limits. What is not JSON may pass. */
export function checkJsonLimits(bytes: Buffer, { valuesMax, fieldsMax, depthMax }: JsonLimits = usualJsonLimits): void {
  /** Commas so far in each object that is open; of lists they do not count. */
  const commas = new Uint32Array(depthMax + 2)
  const isObject = new Uint8Array(depthMax + 2)
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) {
      values += 1
      commas[depth] = (commas[depth] ?? 0) + 1
      if (isObject[depth] === 1 && (commas[depth] ?? 0) >= fieldsMax)
        throw new JsonTooComplex(`an object has more than ${fieldsMax} fields`)
    } else if (byte === openBrace || byte === openBracket) {
      values += 1
      depth += 1
      if (depth > depthMax) throw new JsonTooComplex(`objects and lists are nested more than ${depthMax} deep`)
      commas[depth] = 0
      isObject[depth] = byte === openBrace ? 1 : 0
    } else if ((byte === closeBrace || byte === closeBracket) && depth > 0) depth -= 1
    if (values > valuesMax) throw new JsonTooComplex(`it holds more than ${valuesMax} values`)
  }
}

/** Most texts are short; a search for the quote pays only where one is not. */
const lookedAtOneByOne = 128

/** Offset of the quote that ends a string; the length of the bytes when there is none. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  for (;;) {
    const until = Math.min(bytes.length, at + lookedAtOneByOne)
    while (at < until) {
      const byte = bytes[at]
      if (byte === quote) return at
      at += byte === backslash ? 2 : 1
    }
    if (at >= bytes.length) return bytes.length
    const next = bytes.indexOf(quote, at)
    if (next < 0) return bytes.length
    let slashes = 0
    while (next - slashes > at && bytes[next - slashes - 1] === backslash) slashes += 1
    if (slashes % 2 === 0) return next
    at = next + 1
  }
}
