/**
 * Pins a request of the Responses API to the provider that stores what the request builds on. No other
 * provider can answer it, and only the account that owns what is stored may ask.
 */
import type { Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { ResponseState } from '../request/response-state.ts'
import type { ResponseRegistry } from './response-registry.ts'

/** A request that may build on something. */
export interface PinnedRequest {
  readonly state: ResponseState
  /** No provider of the model has the Responses API, so none of them stores anything. */
  readonly translated: boolean
}

/**
 * The model with only those upstreams whose provider stores what the request builds on. Answers 400
 * for a response and 404 for a conversation that none of them stores for this account.
 *
 * Conversations are made outside of this gateway. One that no account has used here yet is left to the
 * model's provider, if the model has only one; from its first answer on it belongs to the account.
 */
export async function pinToProvider(
  registry: ResponseRegistry,
  model: Model,
  { state: { previousId, conversationId }, translated }: PinnedRequest,
  { account }: Caller,
): Promise<Model> {
  const userId = account.user.id
  let pinned = model
  if (previousId !== null) {
    const lookup = await registry.find({ id: previousId, userId })
    pinned = atProvider(model, lookup.kind === 'found' && !translated ? lookup.response.providerId : null)
    if (pinned.upstreams.length === 0) throw previousNotFound(previousId, lookup.kind === 'found')
  }
  if (conversationId !== null) {
    const lookup = await registry.find({ id: conversationId, userId })
    const isNew = !translated && lookup.kind === 'unknown' && !lookup.ownedByOther
    const providerId = lookup.kind === 'found' ? lookup.response.providerId : isNew ? onlyProvider(pinned) : null
    pinned = atProvider(pinned, providerId)
    if (pinned.upstreams.length === 0) throw conversationNotFound(conversationId)
  }
  return pinned
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
