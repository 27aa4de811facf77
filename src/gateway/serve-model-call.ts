/**
 * One call of a model, from the caller's bytes to the last byte of the answer: what every endpoint
 * of the AI API does. The server has already authenticated the caller (401). An endpoint adds how
 * its body is read and how its answer is relayed, and nothing else.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { toApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { addInflightHeaders, admit } from './admission/admit.ts'
import { applyRules } from './admission/apply-rules.ts'
import { resolveRequested } from './admission/resolve-model.ts'
import { withEndpoint } from './admission/with-endpoint.ts'
import type { ModelCall, PreparedCall } from './endpoints/model-call.ts'
import type { Gateway } from './gateway.ts'
import { addSources, checkDocuments } from './grounding/add-sources.ts'
import { relaySettings, type Relay } from './relay/relay.ts'
import type { ModelRequest } from './request/model-request.ts'
import { checkEffort } from './request/reasoning.ts'
import { pinToProvider } from './responses/pin-to-provider.ts'
import { NewResponseTracker } from './responses/response-tracker.ts'
import { callUpstream, type UpstreamAnswer, type UpstreamRequest } from './upstreams/call-upstream.ts'
import { failOver } from './upstreams/fail-over.ts'
import { upstreamBody } from './upstreams/upstream-body.ts'
import type { RequestRecord } from './usage/usage-recorder.ts'

/** The answer to one call. Throws the ApiError to answer; all resources of the request are released by then. */
export async function serveModelCall(
  gateway: Gateway,
  context: RequestContext,
  caller: Caller,
  clientCall: ModelCall,
): Promise<Response> {
  // Disposed in reverse order: the slot is free before the record says that the request has ended.
  using resources = new DisposableStack()
  const record = resources.use(gateway.recorder.begin(context, caller, clientCall.endpoint))
  try {
    const received = await clientCall.read(context, bodyLimits(gateway)) // 400, 408, 413, 415
    recordRequest(record, received, resources)

    const catalog = gateway.catalog()
    const { purpose = 'realtime' } = clientCall
    const requested = resolveRequested(catalog, received, caller) // 400, 403, 404
    const routed = applyRules(catalog, requested, caller, purpose) // 403, 503
    record.model = routed
    const prepared = translateIfNeeded(gateway, routed, { call: clientCall, request: received }) // 400
    const { state, effort, effortField, documents } = prepared.request
    const eligible = withEndpoint(gateway.providers, routed, prepared.call.endpoint, clientCall.endpoint) // 404
    checkEffort(effort, eligible, effortField) // 400
    const model = state === null ? eligible : await pinToProvider(gateway.responses, eligible, state, caller) // 400, 404, 503

    if (documents !== null) checkDocuments(gateway, caller) // 400, 403
    if (purpose === 'realtime') addInflightHeaders(context, resources.use(await admit(gateway, caller, model))) // 429
    const final = documents === null ? prepared : await withSources(gateway, prepared, { context, caller }) // 400 and the search's

    const repeatable = (): boolean => final.request.form?.repeatable !== false
    const answering = { context, caller, record, resources, model }
    return await failOver(gateway, { context, model, record, repeatable }, (upstream, attempt) =>
      callUpstream(gateway, { context, record, model, upstream, attempt }, upstreamRequest(final, upstream), (answer) =>
        final.call.relay(answer.reply, relayOf(gateway, final, { ...answering, upstream, answer })),
      ),
    ) // 4xx of the upstream, 502, 503, 504
  } catch (thrown) {
    const error = toApiError(thrown)
    record.fail(error)
    throw error
  }
}

function bodyLimits({ settings }: Gateway): BodyLimits {
  return {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  }
}

/** A form is closed with the answer, even in the middle of an upload; only then is its length known. */
function recordRequest(record: RequestRecord, request: ModelRequest, resources: DisposableStack): void {
  const { model, bytes, streamed, form } = request
  record.modelAsked = model
  record.requestBytes = bytes.length
  record.streamed = streamed
  if (form === null) return
  resources.use(form)
  resources.defer(() => void (record.requestBytes = form.bytesRead))
}

/** The client's own call, or the same as a chat completion when no provider of the model has the endpoint. */
function translateIfNeeded({ providers, clock }: Gateway, model: Model, received: PreparedCall): PreparedCall {
  const { endpoint, translate } = received.call
  const isKnown = model.upstreams.some(({ provider }) => providers.get(provider)?.endpoints.has(endpoint))
  return isKnown || translate === undefined ? received : translate(received.request, clock.now())
}

/** The call with the sources from the documents: in the conversation, and in the answer. */
async function withSources(
  gateway: Gateway,
  { call, request }: PreparedCall,
  from: { readonly context: RequestContext; readonly caller: Caller },
): Promise<PreparedCall> {
  const chat = await addSources(gateway, request, from)
  return { call: { ...call, relay: chat.relay }, request: chat.request }
}

function upstreamRequest({ call, request }: PreparedCall, upstream: Upstream): UpstreamRequest {
  const { endpoint, accept, batchable, asksUsage } = call
  const { form, streamed } = request
  return {
    endpoint,
    content:
      form === null ? { kind: 'json', body: upstreamBody(request, upstream, asksUsage) } : { kind: 'form', form },
    streamed,
    ...(accept && { accept }),
    ...(batchable && { batchable }),
  }
}

interface Answering {
  readonly context: RequestContext
  readonly caller: Caller
  readonly record: RequestRecord
  /** The resources of the request, without those of its call. */
  readonly resources: DisposableStack
  readonly model: Model
  readonly upstream: Upstream
  readonly answer: UpstreamAnswer
}

function relayOf(gateway: Gateway, { call, request }: PreparedCall, answering: Answering): Relay {
  const { context, record, resources, answer } = answering
  return {
    ...relaySettings(gateway),
    context,
    record,
    watch: answer.watch,
    idleSeconds: answer.idleSeconds,
    rewriteModel: gateway.settings.get('gateway.rewrite_model') ? request.model : null,
    streamed: request.streamed,
    stripUsage: call.asksUsage && !request.wantsUsage,
    tracker: () => responseTracker(gateway, request, answering),
    takeOver: () => answer.takeOver(resources.move()),
  }
}

function responseTracker(gateway: Gateway, { state }: ModelRequest, answering: Answering): NewResponseTracker {
  const { caller, model, upstream } = answering
  const owner = {
    userId: caller.account.user.id,
    providerId: upstream.provider.id,
    modelId: model.record.id,
    createdAt: gateway.clock.now(),
  }
  return new NewResponseTracker(gateway.responses, owner, state?.stored !== false)
}
