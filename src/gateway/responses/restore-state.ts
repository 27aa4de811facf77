/**
 * Puts before a request what it builds on, as far as the gateway keeps it: the items of a previous response and of all
 * before it, the items of a conversation, items that stand in the input by their ids. What comes out is a request with
 * its whole conversation, which any provider can answer. What the gateway does not keep is left as it is.
 *
 * Only requests that refer to something read the database.
 */
import type { Catalog } from '#catalog/catalog.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import { takeRoom } from '#http/body-room.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { parseBounded, JsonTooComplex } from '#lib/bounded-json.ts'
import { isObject } from '#lib/json-value.ts'
import type { KeptResponse } from '#store/kept/kept-responses.ts'
import { invalidBody } from '../request/fields.ts'
import { withBytes, type ModelRequest } from '../request/model-request.ts'
import { inputItems, withInputItems } from '../request/response-input.ts'
import { referredItem, type KeptState, type ResponseState } from '../request/response-state.ts'
import { inputItemId, isKeptConversationId, isKeptResponseId, newHex, responseOfItem } from './kept-ids.ts'
import type { KeptResponses } from './kept-responses.ts'

export interface RestoreDeps {
  readonly keptResponses: KeptResponses
  readonly settings: LiveSettings
  readonly catalog: () => Catalog
}

/** Whose request it is, and what it may hold. */
export interface Restoring {
  readonly context: RequestContext
  readonly caller: Caller
  readonly limits: BodyLimits
}

/** The request with all that it builds on. Answers 400, 403, 404, 413 or 503 by throwing. */
export async function restoreState(
  deps: RestoreDeps,
  request: ModelRequest,
  state: ResponseState,
  from: Restoring,
): Promise<ModelRequest> {
  const previous = await previousOf(deps, state, from)
  const conversationId = await conversationOf(deps, state, from)
  const references = state.references.filter((id) => responseOfItem(id) !== null)
  if (previous !== null && state.conversationId !== null)
    throw invalidBody('conversation', 'Send "previous_response_id" or "conversation", not both.')
  const { bytes } = request
  let own: string | null = null
  const ownItems = (): string => (own ??= inputItems(bytes))
  if (references.length > 0) own = await withReferences(deps, { ...state, references }, ownItems(), from)
  const stored = state.stored && deps.settings.get('responses.keep')
  const kept: KeptState = {
    hex: newHex(),
    stored,
    background: state.background,
    previousId: previous?.at(-1)?.id ?? null,
    conversationId,
    ownItems,
  }
  const restored = {
    ...request,
    state: {
      ...state,
      previousId: previous === null ? state.previousId : null,
      conversationId: conversationId === null ? state.conversationId : null,
      kept,
    },
  }
  if (previous === null && conversationId === null && references.length === 0) return restored
  const earlier = previous === null ? [] : await deps.keptResponses.chainItems(previous)
  const conversation = conversationId === null ? [] : await deps.keptResponses.conversationItems(conversationId)
  const items = [...earlier, ...conversation, ownItems()].filter((text) => text !== '').join(',')
  return withBytes(restored, withInputItems(bytes, items))
}

/** The chain of kept responses up to the previous one; null when the gateway does not keep it. */
async function previousOf(
  { keptResponses, catalog }: RestoreDeps,
  { previousId }: ResponseState,
  from: Restoring,
): Promise<readonly KeptResponse[] | null> {
  if (previousId === null || !isKeptResponseId(previousId)) return null
  const { caller } = from
  const chain = await keptResponses.chain(previousId)
  const last = chain.at(-1)
  if (last === undefined || last.userId !== caller.account.user.id) return null
  checkAccess(catalog(), last, caller)
  const refuse = (message: string): never => {
    throw new ApiError('previous_response_not_found', { param: 'previous_response_id', message })
  }
  if (last.lease !== null) refuse(`The previous response '${previousId}' is still being made. Wait until it has ended.`)
  if (chain[0]?.previousId !== null)
    refuse(`A response before '${previousId}' was deleted or has expired. Send the whole conversation as "input".`)
  await takeRoomFor(
    chain.reduce((sum, { bytes }) => sum + bytes, 0),
    from,
  )
  return chain
}

async function conversationOf(
  { keptResponses }: RestoreDeps,
  { conversationId }: ResponseState,
  from: Restoring,
): Promise<string | null> {
  if (conversationId === null || !isKeptConversationId(conversationId)) return null
  const conversation = await keptResponses.conversation(conversationId)
  if (conversation === null || conversation.userId !== from.caller.account.user.id) return null
  await takeRoomFor(conversation.bytes, from)
  return conversationId
}

/** The items, with those that stand there by their ids in full. Answers 404 for one that the gateway should have and has not. */
async function withReferences(
  deps: RestoreDeps,
  { references }: ResponseState,
  items: string,
  from: Restoring,
): Promise<string> {
  const { keptResponses, catalog } = deps
  const { caller } = from
  const ids = [...new Set(references.flatMap((id) => responseOfItem(id) ?? []))]
  const own = (await keptResponses.list(ids)).filter((response) => response.userId === caller.account.user.id)
  for (const response of own) checkAccess(catalog(), response, caller)
  await takeRoomFor(
    own.reduce((sum, { bytes }) => sum + bytes, 0),
    from,
  )
  const known = new Map<string, unknown>()
  const owned = own.map(({ id }) => id)
  for (const text of await keptResponses.outputs(owned))
    for (const item of parseItems(text)) if (isObject(item)) known.set(String(item['id']), item)
  const inputs = references.some((id) => !known.has(id)) ? await keptResponses.inputs(owned) : []
  for (const [at, text] of inputs.entries())
    for (const [index, item] of parseItems(text).entries()) known.set(inputItemId(owned[at] ?? '', index), item)
  const full = parseItems(items).map((item) => {
    const [id] = referredItem(item)
    if (id === undefined || responseOfItem(id) === null) return item
    const found = known.get(id)
    if (found !== undefined) return found
    throw new ApiError('item_not_found', { param: 'input', message: notFound(id) })
  })
  return JSON.stringify(full).slice(1, -1)
}

function notFound(id: string): string {
  return `Item with id '${id}' not found. It was deleted or never stored, or another account made it. Send the item itself.`
}

/** The items of a text that may come from a caller. Answers 413 for what would cost too much to build. */
function parseItems(items: string): readonly unknown[] {
  try {
    const value = parseBounded(Buffer.from(`[${items}]`))
    return Array.isArray(value) ? value : []
  } catch (thrown) {
    if (!(thrown instanceof JsonTooComplex)) throw thrown
    throw new ApiError('request_too_large', { message: `The input cannot be read: ${thrown.message}.` })
  }
}

/** A key that may not use the model does not read its answers either. */
function checkAccess(catalog: Catalog, { modelId }: KeptResponse, caller: Caller): void {
  const { kind } = catalog.resolveId(modelId, caller)
  if (kind === 'forbidden') throw new ApiError('model_access_denied')
  if (kind === 'in_doubt') throw new ApiError('store_unavailable')
}

/** What is sealed takes a third more than its text. Answers 413 and 503 by throwing. */
async function takeRoomFor(sealedBytes: number, { context, limits }: Restoring): Promise<void> {
  const bytes = sealedBytes * 0.75
  if (bytes <= limits.bytesMax) return void (await takeRoom(context, limits, bytes))
  throw new ApiError('request_too_large', {
    message: `The conversation has more than the ${limits.bytesMax} bytes that a request may have. Begin a new one, or shorten it and send it as "input".`,
  })
}
