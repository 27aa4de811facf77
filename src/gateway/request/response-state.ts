/**
 * What a request of the Responses API builds on: a response, a conversation or items of earlier answers, that the
 * gateway keeps or one provider stores. Which of the two is decided in responses/restore-state.ts; which upstreams can
 * answer it, in responses/pin-to-provider.ts.
 */
import { findFields } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import { readFileSearch, type FileSearchSpec } from './file-search-tool.ts'
import { invalidBody, type Fields } from './fields.ts'

export interface ResponseState {
  /** The response at a provider that it builds on. */
  readonly previousId: string | null
  /** The conversation at a provider that it goes on with. */
  readonly conversationId: string | null
  /** Items of earlier answers that stand in the input by their ids. */
  readonly references: readonly string[]
  /** The client does not say `store: false`. */
  readonly stored: boolean
  /** The client does not wait for the answer. */
  readonly background: boolean
  /** Where the tool `file_search` looks, when the gateway runs it. */
  readonly fileSearch: FileSearchSpec | null
  /** What the gateway does with the answer, if it is the one that keeps it; null until that is known. */
  readonly kept: KeptState | null
}

/** What is the gateway's own part of a request and its answer. */
export interface KeptState {
  /** The random part of the response's id, with which the ids of its items begin. */
  readonly hex: string
  readonly stored: boolean
  readonly background: boolean
  /** The kept response that it builds on, whose items are part of the input by now. */
  readonly previousId: string | null
  /** The kept conversation that it goes on with; the same. */
  readonly conversationId: string | null
  /** The items of the request's own input, as JSON separated by commas. */
  readonly ownItems: () => string
}

const references = new Set(['previous_response_id', 'conversation'])
const idField = new Set(['id'])
const storedIdPattern = /^[\w-]{1,256}$/

/** The `id` of an object that a provider stores; null for anything that cannot stand in a path. */
export function readStoredId(value: unknown): string | null {
  return typeof value === 'string' && storedIdPattern.test(value) ? value : null
}

/** What a body refers to. Answers 400 for what is malformed, and for what two parsers could read differently. */
export function readResponseState(fields: Fields, bytes: Buffer): ResponseState {
  const spans = findFields(bytes, references)
  for (const name of references) {
    if (spans.filter((span) => span.name === name).length > 1)
      throw invalidBody(name, `"${name}" is written more than once.`)
  }
  const { previous_response_id: previous, conversation, store, background, input } = fields
  for (const { name, valueStart, valueEnd } of spans) {
    if (name === 'conversation' && findFields(bytes.subarray(valueStart, valueEnd), idField).length > 1)
      throw invalidBody('conversation.id', '"conversation.id" is written more than once.')
  }
  return {
    previousId: readReference('previous_response_id', previous),
    conversationId: isObject(conversation)
      ? readReference('conversation.id', conversation['id'] ?? '')
      : readReference('conversation', conversation),
    references: Array.isArray(input) ? input.flatMap(referredItem) : [],
    stored: store !== false,
    background: background === true,
    fileSearch: readFileSearch(fields),
    kept: null,
  }
}

/** The id of an item that stands in the input for another; none for an item itself. */
export function referredItem(item: unknown): readonly string[] {
  if (!isObject(item)) return []
  const { type, id, role } = item
  const isReference = type === 'item_reference' || ((type ?? null) === null && role === undefined)
  return isReference && typeof id === 'string' ? [id] : []
}

function readReference(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  const id = readStoredId(value)
  if (id === null) throw invalidBody(name, `"${name}" must be the id of what was stored before.`)
  return id
}
