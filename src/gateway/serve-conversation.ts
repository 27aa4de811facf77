/**
 * Conversations of the Responses API that the gateway keeps: `/ai/v1/conversations` and below. A response that names
 * one begins with its items, whatever the model, and adds its own when it is complete. Only the account that made a
 * conversation can see it.
 */
import { z } from '#lib/schema.ts'
import { ApiError, toApiError } from '#errors/api-error.ts'
import { readJson } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { isObject } from '#lib/json-value.ts'
import type { Conversation, ConversationItem } from '#store/kept/conversations.ts'
import type { Gateway } from './gateway.ts'
import { invalidBody } from './request/fields.ts'
import { pageObject, pageOf, unknownAfter } from './responses/item-page.ts'
import { newHex } from './responses/kept-ids.ts'
import { conversationEntries, type ResponseObject } from './responses/kept-responses.ts'

/** Most items that one request adds, and most entries of the metadata: those of the API itself. */
const itemsMax = 20
const metadataMax = 16

const metadata = z.record(z.string(), z.string()).nullish().describe('Up to 16 texts')
const items = z.array(z.looseObject({})).max(itemsMax).nullish().describe('Input items of the Responses API')

/** The bodies as the OpenAPI document shows them. */
export const conversationBodies = {
  create: z.looseObject({ items, metadata }).meta({ id: 'ConversationRequest' }),
  update: z.looseObject({ metadata }).meta({ id: 'ConversationUpdate' }),
  add: z.looseObject({ items }).meta({ id: 'ConversationItemsRequest' }),
} as const

export const conversationObject = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    created_at: z.int(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Conversation' })

/** One request about conversations; its name stands in usage records. */
export interface ConversationRequest {
  readonly gateway: Gateway
  readonly context: RequestContext
  readonly caller: Caller
  /** The conversation that the address names; null where it names none. */
  readonly conversation: Conversation | null
}

type Handle = (request: ConversationRequest & { readonly conversation: Conversation }) => Promise<Response>

/** Runs a handler for a conversation of the caller. Answers 404 and 503 by throwing. */
export async function serveConversation(
  gateway: Gateway,
  context: RequestContext,
  caller: Caller,
  handle: Handle,
): Promise<Response> {
  return answering(async () => {
    const conversation = await gateway.keptResponses.conversations.find(context.params['id'] ?? '')
    if (conversation === null || conversation.userId !== caller.account.user.id)
      throw new ApiError('conversation_not_found', { param: 'conversation_id' })
    return handle({ gateway, context, caller, conversation })
  })
}

/** POST /ai/v1/conversations. */
export async function createConversation(gateway: Gateway, context: RequestContext, caller: Caller): Promise<Response> {
  return answering(async () => {
    const body = await readBody(gateway, context)
    const hex = newHex()
    const now = gateway.clock.now()
    const conversation = { id: `conv_${hex}`, userId: caller.account.user.id, createdAt: now, usedAt: now, bytes: 0 }
    const first = readItems(body, hex)
    await gateway.keptResponses.conversations.insert(
      conversation,
      JSON.stringify(readMetadata(body)),
      bytesMax(gateway),
    )
    if (first.length > 0) await append(gateway, conversation, first)
    return answerOf(gateway, conversation)
  })
}

export const getConversation: Handle = ({ gateway, conversation }) => answerOf(gateway, conversation)

export const updateConversation: Handle = async ({ gateway, context, conversation }) => {
  const changed = readMetadata(await readBody(gateway, context))
  if (!(await gateway.keptResponses.conversations.setMetadata(conversation.id, JSON.stringify(changed)))) throw gone()
  return answerOf(gateway, conversation)
}

export const deleteConversation: Handle = async ({ gateway, conversation }) => {
  await gateway.keptResponses.conversations.delete(conversation.id)
  return json({ id: conversation.id, object: 'conversation.deleted', deleted: true })
}

export const listConversationItems: Handle = async ({ gateway, context, conversation }) => {
  const page = pageOf(context.query)
  const found = await gateway.keptResponses.conversations.items(conversation.id, { ...page, limit: page.limit + 1 })
  if (found === null) throw unknownAfter()
  return json(pageObject(found.map(itemObject), page.limit))
}

export const addConversationItems: Handle = async ({ gateway, context, conversation }) => {
  const added = readItems(await readBody(gateway, context), newHex())
  if (added.length === 0) throw invalidBody('items', '"items" must be an array with at least one item.')
  await append(gateway, conversation, added)
  return json(pageObject(added.map(itemObject), added.length))
}

export const getConversationItem: Handle = async ({ gateway, context, conversation }) => {
  const item = await gateway.keptResponses.conversations.item(conversation.id, context.params['item'] ?? '')
  if (item === null) throw new ApiError('item_not_found', { param: 'item_id' })
  return json(itemObject(item))
}

export const deleteConversationItem: Handle = async ({ gateway, context, conversation }) => {
  if (!(await gateway.keptResponses.conversations.deleteItem(conversation.id, context.params['item'] ?? '')))
    throw new ApiError('item_not_found', { param: 'item_id' })
  return answerOf(gateway, conversation)
}

async function answerOf(
  { keptResponses: { conversations } }: Gateway,
  { id, createdAt }: Conversation,
): Promise<Response> {
  const kept = JSON.parse(await conversations.metadata(id)) as unknown
  return json({ id, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata: kept })
}

async function append(
  gateway: Gateway,
  { id, bytes }: Conversation,
  added: readonly ConversationItem[],
): Promise<void> {
  const limit = gateway.settings.get('server.max_body_bytes')
  const more = added.reduce((sum, { text }) => sum + text.length, bytes * 0.75)
  if (more > limit)
    throw new ApiError('request_too_large', {
      message: `The conversation would have more than the ${limit} bytes that a request may have.`,
    })
  const at = { now: gateway.clock.now(), bytesMax: bytesMax(gateway) }
  if (!(await gateway.keptResponses.conversations.append(id, added, at))) throw gone()
}

function bytesMax({ settings }: Gateway): number {
  return settings.get('responses.account_bytes_max')
}

function gone(): ApiError {
  return new ApiError('conversation_not_found', { param: 'conversation_id' })
}

function itemObject({ text }: ConversationItem): ResponseObject {
  return JSON.parse(text) as ResponseObject
}

async function readBody({ settings }: Gateway, context: RequestContext): Promise<ResponseObject> {
  const { value } = await readJson(context, {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  })
  if (!isObject(value)) throw invalidBody(null, 'The request body must be a JSON object.')
  return value
}

function readItems({ items: sent }: ResponseObject, hex: string): readonly ConversationItem[] {
  if (sent === undefined || sent === null) return []
  if (!Array.isArray(sent) || !sent.every(isObject)) throw invalidBody('items', '"items" must be an array of objects.')
  if (sent.length > itemsMax) throw invalidBody('items', `"items" may have ${itemsMax} items at most.`)
  const typed = sent.map((item): ResponseObject => ({ ...item, type: item['type'] ?? 'message' }))
  return conversationEntries(typed.map(withParts), hex)
}

/** A text as content is one part, as this API lists it. */
function withParts(item: ResponseObject): ResponseObject {
  const { role, content } = item
  if (typeof content !== 'string') return item
  return { ...item, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: content }] }
}

function readMetadata({ metadata: sent }: ResponseObject): ResponseObject {
  if (sent === undefined || sent === null) return {}
  if (!isObject(sent)) throw invalidBody('metadata', '"metadata" must be an object.')
  const entries = Object.entries(sent)
  if (entries.length > metadataMax) throw invalidBody('metadata', `"metadata" may have ${metadataMax} entries at most.`)
  for (const [name, value] of entries)
    if (typeof value !== 'string') throw invalidBody(`metadata.${name}`, `"metadata.${name}" must be a string.`)
  return sent
}

/** What the database refuses is 503. */
async function answering(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'StoreUnavailable')
      throw new ApiError('store_unavailable', { cause: thrown })
    throw toApiError(thrown)
  }
}
