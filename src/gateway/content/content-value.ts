/** JSON of a request or an answer as it is kept: binary data is named by its type and size, and texts are redacted. */
import { isObject } from '#lib/json-value.ts'

type Cut = (text: string) => string

/** Shorter runs of base64 characters are words, ids and hashes. */
const base64From = 1024
const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/
const bareBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/
/** Deeper values are named only; the request path has refused such requests already. */
const depthMax = 200
/** A list of so many numbers is a vector. */
const vectorFrom = 64

/** The value with notes in place of binary data, and each text and name through `cut`. */
export function keptValue(value: unknown, cut: Cut, depth = 0): unknown {
  if (typeof value === 'string') return binaryNote(value) ?? cut(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > depthMax) return '[nested too deeply]'
  if (Array.isArray(value)) {
    if (value.length >= vectorFrom && value.every((each) => typeof each === 'number'))
      return `[${value.length} numbers]`
    return value.map((each) => keptValue(each, cut, depth + 1))
  }
  const typed = isObject(value) ? typeBeside(value) : null
  const entries = Object.entries(value).map(([name, each]) => {
    const note = typeof each === 'string' ? binaryNote(each, typed) : null
    return [cut(name), note ?? keptValue(each, cut, depth + 1)] as const
  })
  return Object.fromEntries(entries)
}

/** Names a text that is binary data by type and size; null for any other text. */
export function binaryNote(text: string, type: string | null = null): string | null {
  const declared = dataUrl.exec(text.slice(0, 256))
  if (declared !== null) return noteOf(declared[1] ?? type, text.length - declared[0].length)
  if (text.length < base64From || !bareBase64.test(text)) return null
  return noteOf(type, text.length)
}

function noteOf(type: string | null, base64Length: number): string {
  return `[${type ?? 'binary data'}, ${Math.floor((base64Length * 3) / 4)} bytes]`
}

/** What an object says about the data in it: `media_type` of Anthropic, `format` of OpenAI's audio. */
function typeBeside(value: Readonly<Record<string, unknown>>): string | null {
  const found = value['media_type'] ?? value['mime_type'] ?? value['format']
  return typeof found === 'string' && /^[\w.+/-]{1,100}$/.test(found) ? found : null
}
