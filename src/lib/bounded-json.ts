/**
 * JSON of a caller or a provider as a value, at a cost that is known before it is paid. Building a value
 * costs by the number and kind of its parts, not by its bytes: a mebibyte of one text is nothing, a
 * mebibyte of tiny different texts holds the thread up for a tenth of a second. So the parts are counted
 * first, by one pass over the bytes.
 *
 * The unit of cost is what a number in a list takes, about 50 ns. Measured with this runtime: a text of at
 * most 16 characters that has not occurred before takes 10 of them (it is interned), a field beyond the
 * first hundred of its object 25 (the object becomes a hash table).
 */
import { Buffer, isUtf8 } from 'node:buffer'

/** What a value may hold. */
export interface JsonLimits {
  readonly costMax: number
  /** Objects and lists inside each other. */
  readonly depthMax: number
}

/** For bodies that are built and then looked at whole, which costs several times as much as building them. */
export const usualJsonLimits: JsonLimits = { costMax: 100_000, depthMax: 200 }

/**
 * For bodies that pass through and of which only a few fields are looked at: some 30 ms. As deep as a body may be that
 * is too small to be counted.
 */
export const passedJsonLimits: JsonLimits = { costMax: 600_000, depthMax: 50_000 }

const shortTextCost = 10
const wideFieldCost = 25
const fieldsUntilWide = 128

/** The text may well be JSON, but it is not built: it costs more than the limits allow. */
export class JsonTooComplex extends Error {
  override readonly name = 'JsonTooComplex'
  /** It is nested too deeply, which no parser has to accept (RFC 8259 section 9); else it holds too much. */
  readonly isTooDeep: boolean

  constructor(message: string, isTooDeep = false) {
    super(message)
    this.isTooDeep = isTooDeep
  }
}

/** The value. Throws JsonTooComplex, and a SyntaxError for what is not JSON. */
export function parseBounded(bytes: Uint8Array, limits: JsonLimits = usualJsonLimits): unknown {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  checkJsonLimits(buffer, limits)
  return JSON.parse(buffer.toString()) as unknown
}

/** The value of a whole request body in UTF-8, or in one sentence why there is none. */
export function jsonBodyOf(body: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  const notJson = { problem: 'The request body is not valid JSON in UTF-8.' }
  if (!isUtf8(body)) return notJson
  try {
    return { value: parseBounded(body) }
  } catch (thrown) {
    return thrown instanceof JsonTooComplex
      ? { problem: `The request body cannot be read: ${thrown.message}.` }
      : notJson
  }
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Throws JsonTooComplex for JSON over the limits. What is not JSON may pass. */
export function checkJsonLimits(bytes: Buffer, limits: JsonLimits = usualJsonLimits): void {
  // No part costs more than 13 units a byte, and a level takes one, so that the bytes of a small body need no count.
  if (bytes.length <= limits.depthMax && bytes.length * 13 < limits.costMax) return
  const count = new JsonCount(limits, bytes.length)
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      const end = endOfString(bytes, at)
      count.text(bytes, at + 1, end)
      at = end
    } else if (byte === comma) count.next()
    else if (byte === openBrace || byte === openBracket) count.open(byte === openBrace)
    else if (byte === closeBrace || byte === closeBracket) count.close()
  }
}

const internedMax = 16
const seenSlotsMax = 1 << 14

class JsonCount {
  readonly #limits: JsonLimits
  /** Fields of each object that is open; -1 for a list. */
  readonly #fields: number[] = []
  /** Hashes of short texts that have occurred. */
  readonly #seen: Uint32Array
  #cost = 1

  constructor(limits: JsonLimits, bytes: number) {
    this.#limits = limits
    // A short text takes four bytes at least: a small body needs a small table.
    this.#seen = new Uint32Array(Math.min(seenSlotsMax, (bytes >> 2) + 1))
  }

  open(isObject: boolean): void {
    this.#fields.push(isObject ? 1 : -1)
    if (this.#fields.length > this.#limits.depthMax)
      throw new JsonTooComplex(`objects and lists are nested more than ${this.#limits.depthMax} deep`, true)
    this.#add(2)
  }

  close(): void {
    this.#fields.pop()
  }

  /** A comma: one more field or item. */
  next(): void {
    const last = this.#fields.length - 1
    const fields = this.#fields[last] ?? -1
    if (fields > 0) this.#fields[last] = fields + 1
    this.#add(fields > fieldsUntilWide ? wideFieldCost : 1)
  }

  /** A name or a text between these offsets. */
  text(bytes: Buffer, start: number, end: number): void {
    if (end - start > internedMax) return
    let hash = end - start + 1
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) >>> 0
    const slot = hash % this.#seen.length
    if (this.#seen[slot] === hash) return
    this.#seen[slot] = hash
    this.#add(shortTextCost)
  }

  #add(cost: number): void {
    this.#cost += cost
    if (this.#cost > this.#limits.costMax) throw new JsonTooComplex('it holds too many fields, items or short texts')
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
