/**
 * The field `documents` of a chat completion: what to look up in the caller's documents before the
 * model is asked. Here is what the field may say and what is asked of the search; how the answer
 * of the search becomes part of the conversation is in documents-field-prompt.ts.
 *
 * Only an object is this field. An array is a field of the same name that some model servers know
 * (documents for their own prompt template); it goes upstream like any other unknown field.
 */
import type { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import { invalidBody, isObject, type Fields } from './fields.ts'

export const searchModes = ['hybrid', 'vector', 'keyword'] as const

/** What to look for, and where. Null filters nothing. */
export interface DocumentsSpec {
  readonly categories: readonly string[] | null
  readonly owners: readonly string[] | null
  readonly docIds: readonly string[] | null
  /** Most chunks. */
  readonly topK: number
  readonly mode: (typeof searchModes)[number]
  /** Most tokens of all chunks together; null = whatever they have. */
  readonly maxTokens: number | null
}

/** A piece of a document that fits the question. */
export interface RetrievedChunk {
  readonly docId: string
  /** The document's name; null when it was imported without one. */
  readonly name: string | null
  /** Null where the format has no pages. */
  readonly page: number | null
  readonly headingPath: readonly string[]
  /** Offsets in the document's text, end exclusive. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly tokens: number
}

export interface Retrieval {
  readonly caller: Caller
  /** The text of the last user message, clipped. */
  readonly query: string
  readonly spec: DocumentsSpec
  readonly signal: AbortSignal
}

/** The best chunks that the caller may see, the best first. Rejects with the ApiError to answer. */
export type Retrieve = (retrieval: Retrieval) => Promise<readonly RetrievedChunk[]>

const topKMax = 50
const known = ['category', 'owners', 'doc_id', 'top_k', 'mode', 'max_tokens'] as const

/** What the field of a chat body says; null when there is none for the gateway. Answers 400 by throwing. */
export function readDocumentsField({ documents: value }: Fields): DocumentsSpec | null {
  if (value === undefined || value === null || Array.isArray(value)) return null
  if (!isObject(value))
    throw invalidBody('documents', '"documents" must be an object, for example {"category": "faq"}.')
  const unknown = Object.keys(value).find((name) => !known.some((each) => each === name))
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, 100), `is not a field that "documents" has; it has ${known.join(', ')}.`)
  return {
    categories: texts(value, 'category'),
    owners: texts(value, 'owners'),
    docIds: texts(value, 'doc_id'),
    topK: count(value, 'top_k', topKMax) ?? 6,
    mode: modeOf(value['mode']),
    maxTokens: count(value, 'max_tokens', 1_000_000),
  }
}

function texts(fields: Fields, name: string): readonly string[] | null {
  const value = fields[name] ?? null
  if (value === null) return null
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isText = (each: unknown): each is string => typeof each === 'string' && each !== ''
  // An empty list would match nothing, which nobody means.
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

function modeOf(value: unknown): DocumentsSpec['mode'] {
  if (value === undefined || value === null) return 'hybrid'
  const mode = searchModes.find((each) => each === value)
  if (mode === undefined) throw invalid('mode', `must be one of ${searchModes.join(', ')}.`)
  return mode
}

function invalid(name: string, message: string): ApiError {
  return invalidBody(`documents.${name}`, `"documents.${name}" ${message}`)
}
