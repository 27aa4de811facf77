/**
 * What is done with an answer of the Responses API after it was made: `/ai/v1/responses/{id}` and
 * below. The provider that holds it is asked; nothing of it is here. Only the account that made it
 * can see it, with any of its keys that may use the model.
 *
 * Nothing is generated, so no traffic rule applies, no in-flight slot is taken and no other upstream
 * is tried.
 */
import type { Catalog, Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { KeptResource } from '#providers/provider.ts'
import type { StoredResponse } from '#store/stored-responses.ts'
import { CallWatch } from './call/call-watch.ts'
import { forward, timeouts } from './upstreams/forward.ts'
import type { Gateway } from './gateway.ts'
import { EarlierAnswer, heldId } from './responses/response-tracker.ts'
import type { RequestRecord } from './usage/usage-recorder.ts'
import type { Holder } from './responses/response-registry.ts'
import type { Relay } from './relay/relay.ts'
import { relayResponse } from './responses/relay-response.ts'
import { relayWhole } from './relay/relay-whole.ts'

/** What is done with it; the name in usage records. */
export type ResponseAction = 'retrieve' | 'delete' | 'cancel' | 'input_items'

/** The provider's own answer. Throws the ApiError to answer. */
export async function serveStoredResponse(
  gateway: Gateway,
  context: RequestContext,
  caller: Caller,
  action: ResponseAction,
): Promise<Response> {
  using held = new DisposableStack()
  const record = held.use(gateway.recorder.begin(context, caller, `responses/${action}`))
  try {
    const catalog = gateway.catalog()
    const response = await find(gateway, context, caller) // 404, 503
    const model = modelOf(catalog, response, caller) // 403, 404
    record.model = model
    const upstream = upstreamOf(catalog, model, response) // 503
    return await ask(gateway, action, { context, record, held, response, model, upstream }) // 4xx, 502, 504
  } catch (thrown) {
    const error = toApiError(thrown)
    record.fail(error)
    throw error
  }
}

const unknown: Holder = { kind: 'unknown', others: false }

async function find({ responses }: Gateway, { params }: RequestContext, { account }: Caller): Promise<StoredResponse> {
  const id = heldId(params['id'])
  const holder = id === null ? unknown : await responses.find({ id, userId: account.user.id })
  if (holder.kind === 'unknown') throw new ApiError('response_not_found', { param: 'response_id' })
  return holder.response
}

function modelOf(catalog: Catalog, { modelId }: StoredResponse, caller: Caller): Model {
  const resolution = catalog.resolveId(modelId, caller)
  if (resolution.kind === 'found') return resolution.model
  throw resolution.kind === 'forbidden'
    ? new ApiError('model_access_denied')
    : new ApiError('response_not_found', { message: 'The model that made this response is no longer in use.' })
}

/** The model's own way to the provider; when it has none any more, that of any other model. */
function upstreamOf(catalog: Catalog, model: Model, { providerId }: StoredResponse): Upstream {
  for (const { upstreams } of [model, ...catalog.models]) {
    const upstream = upstreams.find(({ provider }) => provider.id === providerId)
    if (upstream !== undefined) return upstream
  }
  throw new ApiError('upstream_unavailable', {
    message: 'The provider that holds this response is not in use. Tell your administrator.',
  })
}

interface Asking {
  readonly context: RequestContext
  readonly record: RequestRecord
  readonly held: DisposableStack
  readonly response: StoredResponse
  readonly model: Model
  readonly upstream: Upstream
}

async function ask(gateway: Gateway, action: ResponseAction, asking: Asking): Promise<Response> {
  const { context, record, held, response, model, upstream } = asking
  const { ticker, shutdown, responses } = gateway
  const { connectSeconds, firstTokenSeconds, totalSeconds, idleSeconds } = timeouts(gateway, model, upstream)
  using own = new DisposableStack()
  const watch = own.use(new CallWatch(context, { ticker, shutdown, totalSeconds }))
  watch.expect('first-token', firstTokenSeconds)
  context.addHeader('x-sluice-provider', upstream.provider.name)
  const streamed = action === 'retrieve' && context.query.get('stream') === 'true'
  const resource = resourceOf(action, response.id, context)
  const reply = await forward(
    gateway,
    { endpoint: 'responses', resource, body: Buffer.alloc(0), streamed },
    { context, upstream, watch, record, connectSeconds },
  ).catch(async (thrown: unknown) => {
    // Its provider has forgotten it already.
    if (action === 'delete' && toApiError(thrown).detail.upstreamStatus === 404) await responses.forget(response)
    throw thrown
  })
  if (action === 'delete') await responses.forget(response)
  const relay = { ...relayOptions(gateway, model), context, watch, record, streamed, idleSeconds }
  // Awaited here: what is `own` must not be disposed before a stream has taken it over.
  return await relayAction(action, reply, {
    ...relay,
    keeper: () => new EarlierAnswer(responses, response),
    takeOver() {
      const all = held.move()
      all.use(own.move())
      return all
    },
  })
}

function relayOptions({ settings, ticker }: Gateway, { record }: Model) {
  return {
    rewriteModel: settings.get('gateway.rewrite_model') ? record.name : null,
    stripUsage: false,
    keepaliveSeconds: settings.get('gateway.keepalive_seconds'),
    responseBytesMax: settings.get('gateway.max_response_bytes'),
    eventBytesMax: settings.get('gateway.max_event_bytes'),
    ticker,
  }
}

function relayAction(action: ResponseAction, reply: Reply, relay: Relay): Promise<Response> {
  return action === 'retrieve' || action === 'cancel'
    ? relayResponse(reply, relay, relay.streamed)
    : relayWhole(reply, relay)
}

const resources: Readonly<Record<ResponseAction, { readonly method: KeptResource['method']; readonly end: string }>> = {
  retrieve: { method: 'GET', end: '' },
  delete: { method: 'DELETE', end: '' },
  cancel: { method: 'POST', end: '/cancel' },
  input_items: { method: 'GET', end: '/input_items' },
}

function resourceOf(action: ResponseAction, id: string, { query }: RequestContext): KeptResource {
  const { method, end } = resources[action]
  const asked = query.toString()
  return { method, path: `responses/${encodeURIComponent(id)}${end}${asked === '' ? '' : `?${asked}`}` }
}
