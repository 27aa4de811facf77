/**
 * Reads an import request in JSON. The contents of files are taken out of the bytes of the body before
 * it is parsed, so that the parser never builds strings of many megabytes.
 */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import { validBody } from '#http/validate.ts'
import { unparsed } from '#http/body.ts'
import { parseBounded, passedJsonLimits, usualJsonLimits } from '#lib/bounded-json.ts'
import { findFields, findItems, replaceSpans, type Replacement } from '#lib/json-span.ts'
import {
  importOptionsOf,
  importShape,
  itemFields,
  unknownFields,
  type ImportItem,
  type ImportOptions,
  type ItemOrigin,
} from './import-request.ts'
import { itemContent } from './item-content.ts'

const quote = 0x22
/** One more than the schema allows, so that a body with more is refused by it. */
const itemsMax = 10_001
/** Limit on names, owners and similar fields: parsing them keeps the server busy. */
const aboutBytesMax = 8 * 1024 * 1024
const filesName = new Set(['files'])
const bytesName = new Set(['bytes'])

/** Answers 400 and 422 by throwing. */
export function readJsonImport(body: Buffer): {
  readonly items: readonly ImportItem[]
  readonly options: ImportOptions
} {
  if (!isUtf8(body)) throw new ApiError('invalid_json', { message: 'The request body is not valid UTF-8.' })
  const contents = contentSpans(body)
  const about = withoutContents(body, contents)
  if (about.length > aboutBytesMax) {
    throw new ApiError('request_too_large', {
      message: `The request body without the contents of the files is larger than ${aboutBytesMax} bytes. Send the files in several requests.`,
    })
  }
  const sent = parse(about)
  const parsed = validBody(importShape, sent)
  const items = parsed.files.map((item, index) => {
    const span = contents.get(index)
    return importItem(item, span && body.subarray(span.start + 1, span.end - 1))
  })
  return { items, options: importOptionsOf(parsed, unknownFields(sent, importShape)) }
}

interface ContentSpan {
  /** Offset of the opening quote. */
  readonly start: number
  readonly end: number
}

/** Where the strings in `bytes` stand, by the index of their file. Of fields that come twice the last counts, as for JSON.parse. */
function contentSpans(body: Buffer): ReadonlyMap<number, ContentSpan> {
  const found = new Map<number, ContentSpan>()
  const [files] = findFields(body, filesName).slice(-1)
  if (files === undefined) return found
  for (const [index, item] of findItems(body, files.valueStart, itemsMax).entries()) {
    const [bytes] = findFields(body.subarray(item.start, item.end), bytesName).slice(-1)
    if (bytes === undefined || body[item.start + bytes.valueStart] !== quote) continue
    found.set(index, { start: item.start + bytes.valueStart, end: item.start + bytes.valueEnd })
  }
  return found
}

function withoutContents(body: Buffer, contents: ReadonlyMap<number, ContentSpan>): Buffer {
  const replacements: Replacement[] = [...contents.values()].map(({ start, end }) => ({ start, end, text: '""' }))
  return replaceSpans(body, replacements)
}

function parse(json: Buffer): unknown {
  try {
    return parseBounded(json, { ...passedJsonLimits, depthMax: usualJsonLimits.depthMax })
  } catch (thrown) {
    throw unparsed(thrown)
  }
}

/** `raw` is the text between the quotes of `bytes`. An empty string in `bytes` or `path` counts as absent. */
function importItem(sent: unknown, raw: Buffer | undefined): ImportItem {
  const { encoding, ...fields } = itemFields(sent)
  return { ...fields, origin: originOf(raw ?? Buffer.alloc(0), fields.path, encoding) }
}

function originOf(raw: Buffer, path: string, encoding: 'base64' | 'utf-8' | null): ItemOrigin {
  if (raw.length > 0 && path !== '') return { kind: 'both' }
  if (raw.length > 0) return contentOf(raw, encoding)
  return path === '' ? { kind: 'none' } : { kind: 'path' }
}

function contentOf(raw: Buffer, encoding: 'base64' | 'utf-8' | null): ItemOrigin {
  try {
    return itemContent(raw, encoding)
  } catch {
    // An escape or a control character that JSON does not allow.
    throw new ApiError('invalid_json')
  }
}
