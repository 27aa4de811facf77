/**
 * What is done with a response that the gateway keeps itself: the half of serve-stored-response.ts that asks no
 * provider. The answers have the shapes of the Responses API.
 */
import { ApiError } from '#errors/api-error.ts'
import { eventStream } from '#http/event-stream.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { isObject } from '#lib/json-value.ts'
import type { KeptResponse } from '#store/kept/kept-responses.ts'
import type { Gateway } from './gateway.ts'
import { invalidBody } from './request/fields.ts'
import { inputItemId, isKeptResponseId } from './responses/kept-ids.ts'
import { listPage, pageOf } from './responses/item-page.ts'
import { failureEvent } from './responses/relay-response.ts'

export type KeptAction = 'retrieve' | 'delete' | 'cancel' | 'input_items'

/** The caller's own kept response of this id; null when the gateway keeps none. Answers 503 by throwing. */
export async function findKept({ keptResponses }: Gateway, id: string, caller: Caller): Promise<KeptResponse | null> {
  if (!isKeptResponseId(id)) return null
  const [response] = await keptResponses.list([id])
  return response === undefined || response.userId !== caller.account.user.id ? null : response
}

/** The answer to this action. Answers 400 or 503 by throwing. */
export function serveKeptResponse(
  gateway: Gateway,
  context: RequestContext,
  response: KeptResponse,
  action: KeptAction,
): Response | Promise<Response> {
  switch (action) {
    case 'retrieve':
      return context.query.get('stream') === 'true'
        ? resumeStream(gateway, context, response)
        : retrieve(gateway, context, response)
    case 'delete':
      return remove(gateway, context, response)
    case 'cancel':
      return cancel(gateway, context, response)
    case 'input_items':
      return listInput(gateway, context, response)
  }
}

async function retrieve(
  { keptResponses }: Gateway,
  context: RequestContext,
  response: KeptResponse,
): Promise<Response> {
  return jsonText(context, requireThere(await keptResponses.text(response)))
}

async function remove(gateway: Gateway, context: RequestContext, { id }: KeptResponse): Promise<Response> {
  gateway.background.forget(id)
  await gateway.keptResponses.responses.delete(id)
  return jsonText(context, JSON.stringify({ id, object: 'response', deleted: true }))
}

/** Cancelling again changes nothing; what has ended otherwise, or was never made in the background, is refused. */
async function cancel(gateway: Gateway, context: RequestContext, response: KeptResponse): Promise<Response> {
  const { keptResponses, background } = gateway
  if (response.lease !== null) await background.cancel(response)
  const [now] = await keptResponses.list([response.id])
  const text = requireThere(now && (await keptResponses.text(now)))
  const object: unknown = JSON.parse(text)
  const isBackground = isObject(object) && object['background'] === true
  if (!isBackground || now?.status !== 'cancelled')
    throw invalidBody(
      'response_id',
      isBackground
        ? `The response has ended already: its status is "${now?.status}".`
        : 'Only a response that is made in the background can be cancelled.',
    )
  return jsonText(context, text)
}

/** Answers 404 for what was deleted since it was found. */
function requireThere(text: string | null | undefined): string {
  if (text === null || text === undefined) throw new ApiError('response_not_found', { param: 'response_id' })
  return text
}

/** The input with all that it built on, as the model was given it. */
async function listInput(gateway: Gateway, context: RequestContext, { id }: KeptResponse): Promise<Response> {
  const { keptResponses } = gateway
  const page = pageOf(context.query)
  const chain = await keptResponses.chain(id)
  const ids = chain.map((each) => each.id)
  const [inputs, outputs] = await Promise.all([keptResponses.inputs(ids), keptResponses.outputs(ids.slice(0, -1))])
  const items = ids.flatMap((each, at) => [...inputOf(each, inputs[at] ?? ''), ...itemsOf(outputs[at] ?? '')])
  return jsonText(context, JSON.stringify(listPage(items, page)))
}

type Item = Readonly<Record<string, unknown>>

function itemsOf(text: string): readonly Item[] {
  return (JSON.parse(`[${text}]`) as readonly unknown[]).filter(isObject)
}

/** Items of an input have an id, of the client or one that is made of their place. */
function inputOf(responseId: string, text: string): readonly Item[] {
  return itemsOf(text).map((item, index) => ({
    ...item,
    type: item['type'] ?? 'message',
    id: typeof item['id'] === 'string' ? item['id'] : inputItemId(responseId, index),
  }))
}

/** The events behind `starting_after`, those still to come included. */
async function resumeStream(gateway: Gateway, context: RequestContext, response: KeptResponse): Promise<Response> {
  const after = readSequence(context.query.get('starting_after'))
  // One that was cancelled or failed may have no event of its own: it gets one that says so.
  const isOpen = response.lease !== null || response.status === 'cancelled' || response.status === 'failed'
  if (!isOpen && (await gateway.keptResponses.responses.events(response.id, 0)).length === 0)
    throw new ApiError('invalid_query_parameter', {
      param: 'stream',
      message:
        'The events of this response are not kept: only those of responses that are made in the background are, for an hour. Read it without "stream".',
    })
  return followResponse(gateway, context, response.id, after)
}

function readSequence(value: string | null): number {
  if (value === null) return -1
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new ApiError('invalid_query_parameter', {
    param: 'starting_after',
    message: '"starting_after" must be the sequence number of an event.',
  })
}

/** A response in the background as a stream of its events, behind this sequence number. */
export function followResponse(gateway: Gateway, context: RequestContext, id: string, after: number): Response {
  const reading = new AbortController()
  return eventStream(context, {
    pieces: eventsOf(gateway.background.follow(id, after, reading.signal)),
    keepaliveMs: gateway.settings.get('gateway.keepalive_seconds') * 1000,
    cancel: () => reading.abort(),
    failureEvent,
  })
}

async function* eventsOf(data: AsyncGenerator<string | null>): AsyncGenerator<Uint8Array | null, void> {
  for await (const each of data) yield each === null ? null : eventBytes(each)
}

function eventBytes(data: string): Uint8Array {
  const type = /^\{"type":"([\w.]+)"/.exec(data)?.[1] ?? 'message'
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`)
}

function jsonText(context: RequestContext, text: string): Response {
  return context.respond(text, { status: 200, headers: { 'content-type': 'application/json' } })
}
