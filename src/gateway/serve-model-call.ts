/**
 * One call of a model, from the caller's bytes to the last byte of the answer: what every endpoint
 * of the AI API does. The server has already authenticated the caller (401). An endpoint adds how
 * its body is read and how its answer is relayed, and nothing else.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Purpose } from '#catalog/records.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { toApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Endpoint } from '#providers/provider.ts'
import { admit, tellInflight } from './admission/admit.ts'
import { applyRules } from './admission/apply-rules.ts'
import { CallWatch } from './call/call-watch.ts'
import { checkDocuments, grounded } from './grounding/add-sources.ts'
import { failOver } from './upstreams/fail-over.ts'
import { forward, timeouts } from './upstreams/forward.ts'
import type { FormBody } from './request/form-body.ts'
import type { Gateway } from './gateway.ts'
import { NewAnswer } from './responses/response-tracker.ts'
import type { ModelRequest } from './request/model-request.ts'
import { checkEffort } from './request/reasoning.ts'
import type { RequestRecord } from './usage/usage-recorder.ts'
import type { Relay, RelayAnswer } from './relay/relay.ts'
import { resolveAsked } from './admission/resolve-model.ts'
import { withHolder } from './responses/pin-to-provider.ts'
import { uploadOf, type UploadTiming } from './upstreams/upload.ts'
import { upstreamBody } from './upstreams/upstream-body.ts'
import type { Try } from './upstreams/upstream-health.ts'
import { withEndpoint } from './admission/with-endpoint.ts'

export interface ModelCall {
  /** Path below the provider's base URL, and the name in records and metrics. */
  readonly endpoint: Endpoint
  /** Reads and checks the body. Answers 400, 408, 413 or 415 by throwing. */
  readonly read: (context: RequestContext, limits: BodyLimits) => Promise<ModelRequest>
  /** The endpoint knows `stream_options.include_usage`. */
  readonly asksUsage: boolean
  /** The `accept` header; JSON or events, as the client asked, when left out. */
  readonly accept?: string
  /** Small requests may be sent upstream together: see EmbeddingBatcher. */
  readonly joins?: boolean
  /** `realtime` when left out. A `batch` call takes no in-flight slot. */
  readonly purpose?: Purpose
  readonly relay: RelayAnswer
  /** How to ask a model whose provider lacks the endpoint. Answers 400 for what cannot be asked that way. */
  readonly otherwise?: (request: ModelRequest, now: number) => Translation
}

/** A call in other words. */
export interface Translation {
  readonly call: ModelCall
  readonly request: ModelRequest
}

/** The answer to one call. Throws the ApiError to answer; whatever the request held is given back by then. */
export async function serveModelCall(
  gateway: Gateway,
  context: RequestContext,
  caller: Caller,
  call: ModelCall,
): Promise<Response> {
  // Disposed in reverse order: the slot is free before the record says that the request has ended.
  using held = new DisposableStack()
  const record = held.use(gateway.recorder.begin(context, caller, call.endpoint))
  try {
    return await tell(gateway, call, { context, caller, record, held })
  } catch (thrown) {
    const error = toApiError(thrown)
    record.fail(error)
    throw error
  }
}

interface Telling {
  readonly context: RequestContext
  readonly caller: Caller
  readonly record: RequestRecord
  readonly held: DisposableStack
}

async function tell(gateway: Gateway, named: ModelCall, telling: Telling): Promise<Response> {
  const { context, caller, record, held } = telling
  const { settings } = gateway
  const sent = await named.read(context, {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  }) // 400, 408, 413, 415
  record.modelAsked = sent.model
  record.requestBytes = sent.bytes.length
  record.streamed = sent.streamed
  if (sent.form !== null) holdForm(sent.form, telling)

  const catalog = gateway.catalog()
  const asked = resolveAsked(catalog, sent, caller) // 400, 404, 403
  const { purpose = 'realtime' } = named
  const ruled = applyRules(catalog, asked, caller, purpose) // 403, 503
  record.model = ruled
  const worded = translated(gateway, named, sent, ruled) // 400
  const able = withEndpoint(gateway.providers, ruled, worded.call.endpoint, named.endpoint) // 404
  checkEffort(worded.request.effort, able, worded.request.effortField) // 400
  const { state } = worded.request
  const model = state === null ? able : await withHolder(gateway.responses, able, state, caller) // 400, 404, 503
  if (sent.documents !== null) checkDocuments(gateway, caller) // 400, 403
  if (purpose === 'realtime') tellInflight(context, held.use(await admit(gateway, caller, model))) // 429
  const { call, request } = sent.documents === null ? worded : await withSources(gateway, worded, telling) // 400 and the search's
  const repeatable = (): boolean => request.form?.repeatable !== false
  return failOver(gateway, { context, model, record, repeatable }, (upstream, attempt) =>
    ask(gateway, { ...telling, call, request, model, upstream, attempt }),
  ) // 4xx of the upstream, 502, 503, 504
}

/** What is noted of an answer that its provider keeps. */
function newAnswer({ responses, clock }: Gateway, { caller, model, upstream, request }: Asking): NewAnswer {
  const owner = {
    userId: caller.account.user.id,
    providerId: upstream.provider.id,
    modelId: model.record.id,
    createdAt: clock.now(),
  }
  return new NewAnswer(responses, owner, request.state?.stored !== false)
}

/** The call as it is made upstream: as it came, or in words that every provider knows. */
function translated({ providers, clock }: Gateway, call: ModelCall, request: ModelRequest, model: Model): Translation {
  const isKnown = model.upstreams.some(({ provider }) => providers.get(provider)?.endpoints.has(call.endpoint))
  return isKnown || call.otherwise === undefined ? { call, request } : call.otherwise(request, clock.now())
}

/** The call with what was found in the documents: in the conversation, and in the answer. */
async function withSources(gateway: Gateway, { call, request }: Translation, telling: Telling): Promise<Translation> {
  const { request: asked, relay } = await grounded(gateway, request, telling)
  return { call: { ...call, relay }, request: asked }
}

/** When the answer is over nobody wants the rest of an upload; only then is its length known. */
function holdForm(form: FormBody, { held, record }: Telling): void {
  held.use(form)
  held.defer(() => void (record.requestBytes = form.bytesRead))
}

interface Asking extends Telling {
  readonly call: ModelCall
  readonly request: ModelRequest
  readonly model: Model
  readonly upstream: Upstream
  readonly attempt: Try
}

/** One try at one upstream, up to the point from which the answer goes to the client. */
async function ask(gateway: Gateway, asking: Asking): Promise<Response> {
  const { context, record, held, call, request, model, upstream, attempt } = asking
  const { settings, ticker, shutdown } = gateway
  const { connectSeconds, firstTokenSeconds, idleSeconds, totalSeconds } = timeouts(gateway, model, upstream)
  using own = new DisposableStack()
  const watch = own.use(new CallWatch(context, { ticker, shutdown, totalSeconds }))
  watch.expect('first-token', firstTokenSeconds)
  const body = upstreamBody(request, upstream, call.asksUsage)
  const timing: UploadTiming = { watch, firstTokenSeconds, answered: false }
  const reply = await forward(
    gateway,
    {
      endpoint: call.endpoint,
      body,
      streamed: request.streamed,
      ...(request.form && { upload: uploadOf(request.form, upstream, timing) }),
      ...(call.accept && { accept: call.accept }),
      ...(call.joins && { joins: true }),
    },
    { context, upstream, watch, record, connectSeconds },
  )
  timing.answered = true
  const relay: Relay = {
    context,
    watch,
    record,
    rewriteModel: settings.get('gateway.rewrite_model') ? request.model : null,
    streamed: request.streamed,
    stripUsage: call.asksUsage && !request.wantsUsage,
    idleSeconds,
    keepaliveSeconds: settings.get('gateway.keepalive_seconds'),
    responseBytesMax: settings.get('gateway.max_response_bytes'),
    eventBytesMax: settings.get('gateway.max_event_bytes'),
    ticker,
    keeper: () => newAnswer(gateway, asking),
    takeOver() {
      const all = held.move()
      all.use(attempt)
      all.use(own.move())
      return all
    },
  }
  // Awaited here: what is `own` must not be disposed before a stream has taken it over.
  const response = await call.relay(reply, relay)
  if (!own.disposed) attempt[Symbol.dispose]()
  return response
}
