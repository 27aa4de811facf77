/**
 * Finds and replaces top-level fields of a JSON object in its bytes, so that everything else
 * reaches the other side exactly as it was sent: number spellings, unknown fields, white space.
 *
 * These functions look for structure and do not check it: offsets mean something only in a text
 * that JSON.parse takes. On any other they end without harm. Nesting costs no stack.
 */

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Where a field stands: byte offsets of the key's opening quote and of the value, ends exclusive. */
export interface FieldSpan {
  readonly name: string
  readonly keyStart: number
  readonly valueStart: number
  readonly valueEnd: number
}

/** The top-level fields with one of the names, in order; a name that is written twice is found twice. */
export function findFields(json: Buffer, names: ReadonlySet<string>): FieldSpan[] {
  const found: FieldSpan[] = []
  let at = skipSpace(json, 0)
  if (json[at] !== openBrace) return found
  at = skipSpace(json, at + 1)
  while (at < json.length && json[at] === quote) {
    const keyStart = at
    const keyEnd = stringEnd(json, at)
    const valueStart = skipSpace(json, skipSpace(json, keyEnd) + 1)
    if (valueStart >= json.length) break
    const valueEnd = skipValue(json, valueStart)
    if (mayBeNamed(names, json, keyStart, keyEnd)) {
      const name = keyName(json, keyStart, keyEnd)
      if (names.has(name)) found.push({ name, keyStart, valueStart, valueEnd })
    }
    at = skipSpace(json, valueEnd)
    if (json[at] !== comma) break
    at = skipSpace(json, at + 1)
  }
  return found
}

/** The first of these fields with this name. */
export function fieldNamed(fields: readonly FieldSpan[], name: string): FieldSpan | undefined {
  for (const field of fields) if (field.name === name) return field
  return undefined
}

/** The last of these fields with this name, which is the one that parsers take. */
export function lastFieldNamed(fields: readonly FieldSpan[], name: string): FieldSpan | undefined {
  for (let at = fields.length - 1; at >= 0; at -= 1) if (fields[at]?.name === name) return fields[at]
  return undefined
}

/**
 * Whether the bytes are one JSON object from end to end: it opens, all that it opens closes, and
 * nothing follows. What is inside is not checked; a text that was cut off anywhere is found.
 */
export function isWholeObject(json: Buffer): boolean {
  const start = skipSpace(json, 0)
  if (json[start] !== openBrace) return false
  let depth = 0
  let triesFlat = true
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === quote) at = stringEnd(json, at) - 1
    else if (isOpening(byte)) {
      depth += 1
      const end = triesFlat ? flatListEnd(json, at) : 0
      if (end < 0) triesFlat = false
      if (end > 0) at = end - 1
    } else if (isClosing(byte)) {
      depth -= 1
      if (depth === 0) return skipSpace(json, at + 1) === json.length
    }
  }
  return false
}

/** Byte offsets, end exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The elements of the array that begins at `start`, in order, at most `most` of them; none when there is no array. */
export function findItems(json: Buffer, start: number, most = Number.POSITIVE_INFINITY): Span[] {
  const items: Span[] = []
  if (json[start] !== openBracket) return items
  let at = skipSpace(json, start + 1)
  while (at < json.length && json[at] !== closeBracket && items.length < most) {
    const end = skipValue(json, at)
    items.push({ start: at, end })
    at = skipSpace(json, end)
    if (json[at] !== comma) break
    at = skipSpace(json, at + 1)
  }
  return items
}

export interface Replacement {
  /** Byte offsets, end exclusive; start = end inserts. */
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A copy of the bytes with the stretches replaced. They must not overlap and must be in order. */
export function replaceSpans(json: Buffer, replacements: readonly Replacement[]): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = []
  let from = 0
  for (const { start, end, text } of replacements) {
    parts.push(json.subarray(from, start), Buffer.from(text))
    from = end
  }
  parts.push(json.subarray(from))
  return Buffer.concat(parts)
}

/** Offset just after the opening brace of the object, where a field can be inserted. */
export function firstFieldOffset(json: Buffer): number {
  return skipSpace(json, 0) + 1
}

/** The bytes without the field, its comma included. */
export function removeField(json: Buffer, field: FieldSpan): Buffer {
  let start = field.keyStart
  let end = skipSpace(json, field.valueEnd)
  if (json[end] === comma) {
    end += 1
  } else {
    end = field.valueEnd
    while (start > 0 && isSpace(json[start - 1])) start -= 1
    if (json[start - 1] === comma) start -= 1
  }
  return Buffer.concat([json.subarray(0, start), json.subarray(end)])
}

/** Lengths of the names in each set, a bit each; the last bit is for all that are longer. */
const lengthsOf = new WeakMap<ReadonlySet<string>, number>()

/** Whether a key is worth making into a string: most keys have a length that no name has. */
function mayBeNamed(names: ReadonlySet<string>, json: Buffer, start: number, end: number): boolean {
  let lengths = lengthsOf.get(names)
  if (lengths === undefined) {
    lengths = 0
    for (const name of names) lengths |= lengthBit(Buffer.byteLength(name))
    lengthsOf.set(names, lengths)
  }
  if ((lengths & lengthBit(end - start - 2)) !== 0) return true
  for (let at = start; at < end; at += 1) if (json[at] === backslash) return true
  return false
}

function lengthBit(length: number): number {
  return 1 << Math.min(length, 31)
}

function keyName(json: Buffer, start: number, end: number): string {
  const raw = json.toString('utf8', start + 1, end - 1)
  if (!raw.includes('\\')) return raw
  // A key may be spelled with escapes; it is the same key to every JSON parser.
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}

/** Offset after the closing quote of the string that opens at `at`. */
function stringEnd(json: Buffer, at: number): number {
  let end = at
  for (;;) {
    end = nextQuote(json, end + 1)
    if (end < 0) return json.length
    let backslashes = 0
    while (json[end - 1 - backslashes] === backslash) backslashes += 1
    if (backslashes % 2 === 0) return end + 1
  }
}

/** Calls into the runtime cost as much as hundreds of bytes, so quotes that stand close together are found without. */
const nearBytes = 32

function nextQuote(json: Buffer, start: number): number {
  const near = Math.min(start + nearBytes, json.length)
  for (let at = start; at < near; at += 1) if (json[at] === quote) return at
  return json.indexOf(quote, near)
}

function skipValue(json: Buffer, start: number): number {
  let at = start
  let depth = 0
  let triesFlat = true
  while (at < json.length) {
    const byte = json[at]
    if (byte === quote) {
      at = stringEnd(json, at)
      if (depth === 0) return at
      continue
    }
    if (isOpening(byte)) {
      depth += 1
      const end = triesFlat ? flatListEnd(json, at) : 0
      // After one that only looked flat, the search for another could take as long as all that follows.
      if (end < 0) triesFlat = false
      if (end > 0) at = end - 1
    } else if (isClosing(byte)) {
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === comma || isSpace(byte))) return at
    at += 1
  }
  return at
}

function isOpening(byte: number | undefined): boolean {
  return byte === openBrace || byte === openBracket
}

function isClosing(byte: number | undefined): boolean {
  return byte === closeBrace || byte === closeBracket
}

/** Offset of the bracket that closes a long list of numbers; 0 for a short one, -1 for what is not such a list. */
function flatListEnd(json: Buffer, start: number): number {
  if (json[start] !== openBracket) return 0
  const near = start + 1 + 2 * nearBytes
  for (let at = start + 1; at < near; at += 1) {
    const byte = json[at]
    if (byte === quote || byte === closeBracket || isOpening(byte)) return 0
  }
  const end = json.indexOf(closeBracket, near)
  if (end < 0) return -1
  const list = json.subarray(near, end)
  return list.includes(quote) || list.includes(openBracket) || list.includes(openBrace) ? -1 : end
}

function skipSpace(json: Buffer, start: number): number {
  let at = start
  while (isSpace(json[at])) at += 1
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
