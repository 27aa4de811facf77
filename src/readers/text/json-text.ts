/**
 * JSON as text that can be searched and cut: small values are shown whole, large ones are divided, with the path to
 * each part as its heading. JSON lines: one block for each record.
 */
import { decodeText } from './charset.ts'
import { type Reader, ReadFailure } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'

/** A value that takes more characters is divided. */
const partCharacters = 1_500
/** A longer text is shown as running text, without quotes and escapes. */
const stringCharacters = 200
/** Values further down are shown whole, however large. */
const depthMax = 6

/** Throws ReadFailure when the text is not JSON, or nested too deeply. */
export function parseJson(text: string): unknown {
  checkNesting(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ReadFailure('damaged', 'The file is not valid JSON.', error)
  }
}

/** Values nested deeper are refused: indented, their text grows with the square of the depth. */
const nestingMax = 200

const quote = 0x22
const backslash = 0x5c
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Throws when the text is nested too deeply; looks only at brackets outside of strings. */
function checkNesting(text: string): void {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) inString = !inString
    else if (inString) at += code === backslash ? 1 : 0
    else if (opening.has(code)) depth += 1
    else if (closing.has(code)) depth -= 1
    if (depth > nestingMax) {
      throw new ReadFailure('too_complex', `The values in the file are nested more than ${nestingMax} levels deep.`)
    }
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function isProse(value: unknown): value is string {
  return typeof value === 'string' && (value.length > stringCharacters || value.includes('\n'))
}

interface Place {
  readonly path: string
  readonly depth: number
}

function below({ path, depth }: Place, key: string, isIndex: boolean): Place {
  if (isIndex) return { path: `${path}[${key}]`, depth: depth + 1 }
  const step = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? key : JSON.stringify(key)
  return { path: path === '' ? step : `${path}.${step}`, depth: depth + 1 }
}

/** Appends one value: whole when it is small, else part by part. */
function appendValue(builder: TextBuilder, value: unknown, place: Place): void {
  if (isProse(value)) {
    if (place.path !== '') builder.heading(place.depth, place.path)
    return builder.paragraph(value)
  }
  const whole = shown(value)
  if (typeof value !== 'object' || value === null || whole.length <= partCharacters || place.depth > depthMax) {
    if (place.path !== '') builder.heading(place.depth, place.path)
    return builder.code(whole)
  }
  if (place.path !== '') builder.heading(place.depth, place.path)
  appendParts(builder, value, place)
}

/** Small parts are collected up to the size of one part; each large one stands by itself. */
function appendParts(builder: TextBuilder, value: object, place: Place): void {
  let collected = ''
  const flush = (): void => {
    builder.code(collected)
    collected = ''
  }
  for (const [key, part] of Object.entries(value)) {
    const text = isProse(part) ? null : shown(part)
    if (text === null || text.length > partCharacters) {
      flush()
      appendValue(builder, part, below(place, key, Array.isArray(value)))
      continue
    }
    if (collected.length + text.length > partCharacters) flush()
    collected += Array.isArray(value) ? `[${key}] ${text}\n` : `${JSON.stringify(key)}: ${text}\n`
  }
  flush()
}

function appendRecords(builder: TextBuilder, text: string): void {
  let damaged = 0
  let records = 0
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    records += 1
    try {
      builder.code(shown(parseJson(line)))
    } catch (error) {
      if (!(error instanceof ReadFailure) || error.code !== 'damaged') throw error
      damaged += 1
      builder.code(line)
    }
  }
  if (records > 0 && damaged === records) throw new ReadFailure('damaged', 'No line of the file is valid JSON.')
  if (damaged > 0) builder.warn(`${damaged} of ${records} lines are not valid JSON and were kept as they are.`)
}

/** Reads JSON (RFC 8259) and JSON lines. */
export const jsonReader: Reader = {
  name: 'json',
  read: async ({ bytes, mediaType, limits }) => {
    const builder = new TextBuilder(limits)
    const { text } = decodeText(bytes)
    if (mediaType === 'application/jsonl') appendRecords(builder, text)
    else appendValue(builder, parseJson(text), { path: '', depth: 0 })
    return builder.reading({ mediaType, title: null })
  },
}
