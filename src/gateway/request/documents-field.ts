/**
 * The field `documents` of a chat completion: what to look up in the caller's documents before the
 * model is asked. The search and the use of its result are in `grounding/`.
 *
 * Only an object is this field. An array is a field of the same name that some model servers know
 * (documents for their own prompt template); it goes upstream like any other unknown field.
 */
import type { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import { askedModes, type AskedMode } from '#store/documents/search/asked-modes.ts'
import { invalidBody, type Fields } from './fields.ts'

/** What to look for, and where. Null filters nothing. */
export interface DocumentsSpec {
  readonly categories: readonly string[] | null
  readonly owners: readonly string[] | null
  readonly docIds: readonly string[] | null
  /** Most chunks. */
  readonly topK: number
  readonly mode: AskedMode
  /** Neighbours on either side of each chunk, or the rest of its section. */
  readonly window: number | 'section'
  /** Most chunks of one document; null = all that fit. */
  readonly maxPerDocument: number | null
  /** Which model writes the question from the conversation: false = none, undefined = as the settings say, null = the chat's own. */
  readonly rewrite: false | { readonly model: string | null } | undefined
  /** Most tokens of all chunks together; null = whatever they have. */
  readonly maxTokens: number | null
}

export const topKMax = 50
export const maxTokensMax = 1_000_000
export const windowMax = 10
const fieldNames = [
  'category',
  'owners',
  'doc_id',
  'top_k',
  'mode',
  'window',
  'max_per_document',
  'rewrite',
  'max_tokens',
] as const

/** The field of a chat body; null when the body has none for the gateway. Answers 400 by throwing. */
export function readDocumentsField({ documents: value }: Fields): DocumentsSpec | null {
  if (value === undefined || value === null || Array.isArray(value)) return null
  if (!isObject(value))
    throw invalidBody('documents', '"documents" must be an object, for example {"category": "faq"}.')
  const unknown = Object.keys(value).find((name) => !fieldNames.some((each) => each === name))
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, 100), `is not a field that "documents" has; it has ${fieldNames.join(', ')}.`)
  return {
    categories: texts(value, 'category'),
    owners: texts(value, 'owners'),
    docIds: texts(value, 'doc_id'),
    topK: count(value, 'top_k', topKMax) ?? 6,
    mode: modeOf(value['mode']),
    window: windowOf(value['window'] ?? 0),
    maxPerDocument: count(value, 'max_per_document', topKMax),
    rewrite: rewriteOf(value['rewrite'] ?? undefined),
    maxTokens: count(value, 'max_tokens', maxTokensMax),
  }
}

function texts(fields: Fields, name: string): readonly string[] | null {
  const value = fields[name] ?? null
  if (value === null) return null
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isText = (each: unknown): each is string => typeof each === 'string' && each !== ''
  // An empty list would match nothing, which no client wants.
  if (list.length === 0 || !list.every(isText)) throw invalid(name, 'must be a text, or a list of texts.')
  return list
}

function count(fields: Fields, name: string, max: number): number | null {
  const value = fields[name] ?? null
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max)
    throw invalid(name, `must be a whole number from 1 to ${max}.`)
  return value
}

function modeOf(value: unknown): AskedMode {
  if (value === undefined || value === null) return 'auto'
  const mode = askedModes.find((each) => each === value)
  if (mode === undefined) throw invalid('mode', `must be one of ${askedModes.join(', ')}.`)
  return mode
}

function windowOf(value: unknown): DocumentsSpec['window'] {
  if (value === 'section') return value
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= windowMax) return value
  throw invalid('window', `must be a whole number from 0 to ${windowMax}, or "section".`)
}

function rewriteOf(value: unknown): DocumentsSpec['rewrite'] {
  if (value === undefined || value === false) return value
  if (value === true) return { model: null }
  if (isObject(value) && typeof value['model'] === 'string' && value['model'] !== '' && Object.keys(value).length === 1)
    return { model: value['model'] }
  throw invalid('rewrite', 'must be true, false, or an object with the name of a "model".')
}

function invalid(name: string, message: string): ApiError {
  return invalidBody(`documents.${name}`, `"documents.${name}" ${message}`)
}
