/**
 * What is done with a response of the Responses API after it was made: `/ai/v1/responses/{id}` and
 * below. The provider that stores it is asked, and the gateway stores only who owns it; or the gateway
 * keeps it itself (serve-kept-response.ts). Only the account
 * that made it can see it, with any of its keys that may use the model.
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
import type { StoredResource } from '#providers/provider.ts'
import type { KeptResponse } from '#store/kept/kept-responses.ts'
import type { StoredResponse } from '#store/stored-responses.ts'
import type { Gateway } from './gateway.ts'
import { CallRelay, type RelayedRequest } from './relay/call-relay.ts'
import { relayWhole } from './relay/relay-whole.ts'
import type { Relay } from './relay/relay.ts'
import { readStoredId } from './request/response-state.ts'
import { relayResponse } from './responses/relay-response.ts'
import type { StoredLookup } from './responses/response-registry.ts'
import { StoredResponseTracker } from './responses/response-tracker.ts'
import { findKept, serveKeptResponse } from './serve-kept-response.ts'
import { callUpstream, type UpstreamAnswer, type UpstreamRequest } from './upstreams/call-upstream.ts'

/** The action; its name stands in usage records. */
export type ResponseAction = 'retrieve' | 'delete' | 'cancel' | 'input_items'

/** The provider's own answer. Throws the ApiError to answer. */
export async function serveStoredResponse(
  gateway: Gateway,
  context: RequestContext,
  caller: Caller,
  action: ResponseAction,
): Promise<Response> {
  using resources = new DisposableStack()
  const record = resources.use(gateway.recorder.begin(context, caller, `responses/${action}`))
  try {
    const catalog = gateway.catalog()
    const kept = await findKept(gateway, context.params['id'] ?? '', caller) // 503
    if (kept !== null) {
      record.model = keptModel(catalog, kept, caller) // 403
      record.streamed = context.query.get('stream') === 'true'
      return await serveKeptResponse(gateway, context, kept, action) // 400, 503
    }
    const response = await findResponse(gateway, context, caller) // 404, 503
    const model = modelOf(catalog, response, caller) // 403, 404
    record.model = model
    const upstream = upstreamOf(catalog, model, response) // 503
    context.addHeader('x-sluice-provider', upstream.provider.name)
    const request = upstreamRequest(action, response.id, context)
    return await callUpstream(gateway, { context, record, model, upstream }, request, async (answer) => {
      if (action === 'delete') await gateway.responses.remove(response)
      const asked = { context, record, resources, model, response, streamed: request.streamed }
      return await relayAction(action, answer.reply, new StoredRelay(gateway, asked, answer))
    }).catch(async (thrown: unknown) => {
      // The provider has deleted it already.
      if (action === 'delete' && toApiError(thrown).detail.upstreamStatus === 404)
        await gateway.responses.remove(response)
      throw thrown
    }) // 4xx of the upstream, 502, 504
  } catch (thrown) {
    const error = toApiError(thrown)
    record.fail(error)
    throw error
  }
}

const unknown: StoredLookup = { kind: 'unknown', ownedByOther: false }

async function findResponse({ responses }: Gateway, { params }: RequestContext, { account }: Caller) {
  const id = readStoredId(params['id'])
  const lookup = id === null ? unknown : await responses.find({ id, userId: account.user.id })
  if (lookup.kind === 'unknown') throw new ApiError('response_not_found', { param: 'response_id' })
  return lookup.response
}

function modelOf(catalog: Catalog, { modelId }: StoredResponse, caller: Caller): Model {
  const resolution = catalog.resolveId(modelId, caller)
  if (resolution.kind === 'found') return resolution.model
  if (resolution.kind === 'in_doubt') throw new ApiError('store_unavailable')
  throw resolution.kind === 'forbidden'
    ? new ApiError('model_access_denied')
    : new ApiError('response_not_found', { message: 'The model that made this response is no longer in use.' })
}

/** What is kept outlives its model; an account or a key that may not use the model does not read it. */
function keptModel(catalog: Catalog, { modelId }: KeptResponse, caller: Caller): Model | null {
  const resolution = catalog.resolveId(modelId, caller)
  if (resolution.kind === 'found') return resolution.model
  if (resolution.kind === 'in_doubt') throw new ApiError('store_unavailable')
  if (resolution.kind === 'forbidden') throw new ApiError('model_access_denied')
  return null
}

/** An upstream at the provider: one of the model's own, or that of any other model when the model has none any more. */
function upstreamOf(catalog: Catalog, model: Model, { providerId }: StoredResponse): Upstream {
  for (const { upstreams } of [model, ...catalog.models]) {
    const upstream = upstreams.find(({ provider }) => provider.id === providerId)
    if (upstream !== undefined) return upstream
  }
  throw new ApiError('upstream_unavailable', {
    message: 'The provider that holds this response is not in use. Tell your administrator.',
  })
}

interface AskedResponse extends RelayedRequest {
  readonly model: Model
  readonly response: StoredResponse
  readonly streamed: boolean
}

class StoredRelay extends CallRelay {
  readonly streamed: boolean
  readonly base64Vectors = false
  readonly stripUsage = false
  protected readonly modelName: string
  readonly #gateway: Gateway
  readonly #response: StoredResponse

  constructor(gateway: Gateway, asked: AskedResponse, answer: UpstreamAnswer) {
    super(gateway, asked, answer)
    this.streamed = asked.streamed
    this.modelName = asked.model.record.name
    this.#gateway = gateway
    this.#response = asked.response
  }

  tracker(): StoredResponseTracker {
    return new StoredResponseTracker(this.#gateway.responses, this.#response)
  }
}

function relayAction(action: ResponseAction, reply: Reply, relay: Relay): Response | Promise<Response> {
  return action === 'retrieve' || action === 'cancel'
    ? relayResponse(reply, relay, relay.streamed)
    : relayWhole(reply, relay)
}

const resourceOf: Readonly<
  Record<ResponseAction, { readonly method: StoredResource['method']; readonly end: string }>
> = {
  retrieve: { method: 'GET', end: '' },
  delete: { method: 'DELETE', end: '' },
  cancel: { method: 'POST', end: '/cancel' },
  input_items: { method: 'GET', end: '/input_items' },
}

function upstreamRequest(action: ResponseAction, id: string, { query }: RequestContext): UpstreamRequest {
  const { method, end } = resourceOf[action]
  const search = query.toString()
  const path = `responses/${encodeURIComponent(id)}${end}${search === '' ? '' : `?${search}`}`
  const streamed = action === 'retrieve' && query.get('stream') === 'true'
  return { endpoint: 'responses', content: { kind: 'resource', method, path }, streamed }
}
