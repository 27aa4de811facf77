/**
 * A provider that keeps the answers of its Responses API, as OpenAI does: made, asked for again,
 * resumed, cancelled and deleted by their id.
 */
import { nativeResponse, nativeResponseEvents, typedEvents } from '../contract/dialect-samples.ts'
import { gate, json, streamEnd, type Behaviour } from './upstream-behaviours.ts'
import { errorObject } from './upstream-samples.ts'
import type { ReceivedRequest } from './upstream.ts'

type Kept = Readonly<Record<string, unknown>>

/** The script of a provider whose ids begin so. Streams stop at a gate in front of their last event. */
export function keepingProvider(prefix = 'resp_kept'): (request: ReceivedRequest) => Behaviour {
  const kept = new Map<string, Kept>()
  return (request) => {
    const [, , endpoint, id, sub] = request.path.split('/')
    if (endpoint !== 'responses') return json(errorObject('Not found.', 'not_found'), 404)
    if (id === undefined) return create(kept, `${prefix}${kept.size}`, request)
    if (id === 'input_tokens') return json({ object: 'response.input_tokens', input_tokens: 25 })
    if (id === 'compact') return json({ id: 'cmp_1', object: 'response.compaction', output: [], usage })
    const response = kept.get(id)
    if (response === undefined) return json(errorObject(`Response with id '${id}' not found.`, null), 404)
    if (request.method === 'DELETE') {
      kept.delete(id)
      return json({ id, object: 'response', deleted: true })
    }
    if (sub === 'input_items') return json(inputItems(request))
    if (sub === 'cancel') {
      kept.set(id, { ...response, status: 'cancelled' })
      return json(kept.get(id))
    }
    return retrieve(kept, { ...response, id }, request)
  }
}

const { usage } = nativeResponse

function create(kept: Map<string, Kept>, id: string, request: ReceivedRequest): Behaviour {
  const { background, store, previous_response_id: previous, conversation, stream } = request.json()
  const conversationId = typeof conversation === 'string' ? conversation : null
  const response: Kept = {
    ...nativeResponse,
    id,
    store: store !== false,
    previous_response_id: previous ?? null,
    ...(conversationId !== null && { conversation: { id: conversationId } }),
    ...(background === true && { background: true, status: 'queued', output: [], usage: null }),
  }
  if (store !== false) kept.set(id, response)
  return stream === true ? streamOf(response, -1) : json(response)
}

/** A background answer is ready when it is asked for the second time. */
function retrieve(
  kept: Map<string, Kept>,
  response: Kept & { readonly id: string },
  request: ReceivedRequest,
): Behaviour {
  const query = new URLSearchParams(request.target.split('?')[1])
  if (query.get('stream') === 'true') return streamOf(response, Number(query.get('starting_after') ?? -1))
  const next = { queued: 'in_progress', in_progress: 'completed' }[String(response['status'])]
  if (next !== undefined)
    kept.set(response.id, { ...response, status: next, usage: next === 'completed' ? usage : null })
  return json(kept.get(response.id))
}

function streamOf({ id, background = false }: Kept, after: number): Behaviour {
  const events = nativeResponseEvents
    .map((event) => {
      const told = event['response']
      return typeof told === 'object' ? { ...event, response: { ...told, id, background } } : event
    })
    .slice(after + 1)
  const steps = [...typedEvents(events)]
  return events.length === 0 ? [...steps, streamEnd] : [...steps.slice(0, -1), gate, ...steps.slice(-1), streamEnd]
}

function inputItems({ target }: ReceivedRequest): object {
  const limit = Number(new URLSearchParams(target.split('?')[1]).get('limit') ?? 20)
  const data = Array.from({ length: limit }, (_, at) => ({
    id: `msg_${at}`,
    type: 'message',
    role: 'user',
    content: [],
  }))
  return { object: 'list', data, first_id: 'msg_0', last_id: `msg_${limit - 1}`, has_more: false }
}
