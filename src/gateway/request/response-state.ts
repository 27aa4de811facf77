/**
 * What a request of the Responses API builds on: a response or a conversation that one provider
 * stores. Which upstreams can answer it is decided in responses/pin-to-provider.ts.
 */
import { findFields } from '#lib/json-span.ts'
import { isObject } from '#lib/json-value.ts'
import { invalidBody, type Fields } from './fields.ts'

export interface ResponseState {
  readonly previousId: string | null
  readonly conversationId: string | null
  /** The client does not say `store: false`. */
  readonly stored: boolean
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
  const { previous_response_id: previous, conversation, store } = fields
  for (const { name, valueStart, valueEnd } of spans) {
    if (name === 'conversation' && findFields(bytes.subarray(valueStart, valueEnd), idField).length > 1)
      throw invalidBody('conversation.id', '"conversation.id" is written more than once.')
  }
  return {
    previousId: readReference('previous_response_id', previous),
    conversationId: isObject(conversation)
      ? readReference('conversation.id', conversation['id'] ?? '')
      : readReference('conversation', conversation),
    stored: store !== false,
  }
}

function readReference(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  const id = readStoredId(value)
  if (id === null) throw invalidBody(name, `"${name}" must be the id of what was stored before.`)
  return id
}
