/**
 * What a request of the Responses API builds on: an answer or a conversation that one provider holds.
 * Such a request can go nowhere else, and only for the account that it belongs to.
 */
import type { Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import { findFields } from '#lib/json-span.ts'
import { invalidBody, isObject, type Fields } from '../request/fields.ts'
import { heldId } from './response-tracker.ts'
import type { ResponseBook } from './response-registry.ts'

export interface ResponseState {
  readonly previousId: string | null
  readonly conversationId: string | null
  /** The client does not say `store: false`. */
  readonly stored: boolean
}

const references = new Set(['previous_response_id', 'conversation'])
const idField = new Set(['id'])

/** What a body refers to. Answers 400 for what is malformed, and for what could be read in two ways. */
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
    previousId: reference('previous_response_id', previous),
    conversationId: isObject(conversation)
      ? reference('conversation.id', conversation['id'] ?? '')
      : reference('conversation', conversation),
    stored: store !== false,
  }
}

function reference(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  const id = heldId(value)
  if (id === null) throw invalidBody(name, `"${name}" must be the id of what was stored before.`)
  return id
}

/**
 * The model with only those upstreams whose provider holds what the request builds on. Answers 400
 * for an answer and 404 for a conversation that none of them holds for this account.
 *
 * Conversations are made outside of this gateway, so one that nobody has used here yet is left to the
 * model's provider, if that is only one; from its first answer on it belongs to the account.
 */
export async function withHolder(
  book: ResponseBook,
  model: Model,
  { previousId, conversationId }: ResponseState,
  { account }: Caller,
): Promise<Model> {
  const userId = account.user.id
  let held = model
  if (previousId !== null) {
    const holder = await book.find({ id: previousId, userId })
    held = atProvider(model, holder.kind === 'found' ? holder.response.providerId : null)
    if (held.upstreams.length === 0) throw previousNotFound(previousId, holder.kind === 'found')
  }
  if (conversationId !== null) {
    const holder = await book.find({ id: conversationId, userId })
    const isNew = holder.kind === 'unknown' && !holder.others
    const providerId = holder.kind === 'found' ? holder.response.providerId : isNew ? onlyProvider(held) : null
    held = atProvider(held, providerId)
    if (held.upstreams.length === 0) throw conversationNotFound(conversationId)
  }
  return held
}

function atProvider(model: Model, providerId: string | null): Model {
  return { ...model, upstreams: model.upstreams.filter(({ provider }) => provider.id === providerId) }
}

function onlyProvider({ upstreams }: Model): string | null {
  const ids = new Set(upstreams.map(({ provider }) => provider.id))
  const [id] = ids
  return ids.size === 1 && id !== undefined ? id : null
}

function previousNotFound(id: string, isElsewhere: boolean): ApiError {
  const hint = isElsewhere
    ? 'It is held by another provider than those of this model: ask the model that made it.'
    : 'It was deleted or never stored, or another account made it. Send the whole conversation as "input".'
  return new ApiError('previous_response_not_found', {
    param: 'previous_response_id',
    message: `Previous response with id '${id}' not found. ${hint}`,
  })
}

function conversationNotFound(id: string): ApiError {
  return new ApiError('conversation_not_found', {
    param: 'conversation',
    message: `Conversation with id '${id}' not found: no provider of this model holds it for your account.`,
  })
}
