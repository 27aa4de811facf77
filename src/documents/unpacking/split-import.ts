/**
 * Takes the contents of files out of the bytes of an import request, so that the parser never builds strings of many
 * megabytes. What is left is JSON, with an empty string in the place of each content.
 */
import { findFields, findItems, replaceSpans, type Span } from '#lib/json-span.ts'

const quote = 0x22
/** One more than the schema allows, so that a body with more is refused by it. */
const itemsMax = 10_001
const filesName = new Set(['files'])
const bytesName = new Set(['bytes'])

export interface SplitImport {
  /** The request without the contents. */
  readonly about: Buffer
  /** The text between the quotes of `bytes`, by the index of the file; none where it is empty or no string. */
  readonly contents: ReadonlyMap<number, Buffer>
}

/** Says nothing of a body that is not JSON: `about` is not JSON then either. */
export function splitImport(body: Buffer): SplitImport {
  const spans = contentSpans(body)
  const replacements = [...spans.values()].map(({ start, end }) => ({ start, end, text: '""' }))
  const contents = new Map<number, Buffer>()
  for (const [index, { start, end }] of spans)
    if (end - start > 2) contents.set(index, body.subarray(start + 1, end - 1))
  return { about: replaceSpans(body, replacements), contents }
}

/** The strings in `bytes` with their quotes, by the index of their file. If a field comes twice the last counts, as for JSON.parse. */
function contentSpans(body: Buffer): ReadonlyMap<number, Span> {
  const found = new Map<number, Span>()
  const [files] = findFields(body, filesName).slice(-1)
  if (files === undefined) return found
  for (const [index, item] of findItems(body, files.valueStart, itemsMax).entries()) {
    const [bytes] = findFields(body.subarray(item.start, item.end), bytesName).slice(-1)
    if (bytes === undefined || body[item.start + bytes.valueStart] !== quote) continue
    found.set(index, { start: item.start + bytes.valueStart, end: item.start + bytes.valueEnd })
  }
  return found
}
