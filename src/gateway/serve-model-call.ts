/**
 * One call of a model, from the caller's bytes to the last byte of the answer: what every endpoint
 * of the AI API does. The server has already authenticated the caller (401). An endpoint adds how
 * its body is read and how its answer is relayed, and nothing else.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Purpose } from '#catalog/records.ts'
import { toApiError } from '#errors/api-error.ts'
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { isAzure, storesResponses } from '#providers/openai.ts'
import type { Endpoint } from '#providers/provider.ts'
import { admit } from './admission/admit.ts'
import { applyRules } from './admission/apply-rules.ts'
import { haveBudgets, reserveBudget } from './admission/reserve-budget.ts'
import { resolveRequested } from './admission/resolve-model.ts'
import { withEndpoint } from './admission/with-endpoint.ts'
import type { ModelCall, PreparedCall } from './endpoints/model-call.ts'
import { headersForUpstream } from './call/headers.ts'
import type { Gateway } from './gateway.ts'
import { addSources, checkDocuments } from './grounding/add-sources.ts'
import { InnerContext } from './inner-context.ts'
import { invalidBody } from './request/fields.ts'
import type { FormBody } from './request/form-body.ts'
import { mayNameFiles } from './request/file-references.ts'
import { inlineFiles } from './request/inline-files.ts'
import { withBytes, type ModelRequest } from './request/model-request.ts'
import { streamedBody } from './request/response-input.ts'
import { checkEffort } from './request/reasoning.ts'
import { withOneKeeper } from './responses/keeper.ts'
import { keptResponseId } from './responses/kept-ids.ts'
import { pinToProvider } from './responses/pin-to-provider.ts'
import { restoreState, type Restoring } from './responses/restore-state.ts'
import { serveFileSearch, type SearchedCall } from './serve-file-search.ts'
import { followResponse } from './serve-kept-response.ts'
import { askUpstreams, type ServedCall } from './served-call.ts'
import type { Prefix } from './upstreams/affinity.ts'
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
  const record = resources.use(recordOf(gateway, context, caller, clientCall))
  try {
    const limits = bodyLimits(gateway, caller, resources)
    const received = await clientCall.read(context, limits) // 400, 408, 413, 415, 503
    recordRequest(record, received, resources)

    const catalog = gateway.catalog()
    const { purpose, isAsync } = rankOf(clientCall, received)
    const requested = resolveRequested(catalog, received, caller) // 400, 403, 404
    const routed = applyRules(catalog, requested, caller, purpose) // 403, 503
    record.model = routed
    logContent(gateway, { context, caller, record, model: routed }, received)
    const from = { context, caller, model: routed, endpoint: clientCall.endpoint, limits }
    const restored = await restoreIfNeeded(gateway, received, from) // 400, 403, 404, 413, 503
    if (searchesFiles(gateway, clientCall, restored)) {
      const call = { context, caller, model: routed, clientCall, request: restored }
      return await withFileSearch(gateway, call, record) // 400, 404, and as a call without it
    }
    const prepared = translateIfNeeded(gateway, routed, { call: clientCall, request: restored }) // 400
    tellDropped(context, prepared)
    const { state, effort, effortField, documents, translated } = prepared.request
    const eligible = withOneKeeper(
      withEndpoint(gateway.providers, routed, prepared.call.endpoint, clientCall.endpoint), // 404
      prepared.request,
    )
    checkEffort(effort, eligible, effortField) // 400
    const model =
      state === null ? eligible : await pinToProvider(gateway.responses, eligible, { state, translated }, caller) // 400, 404, 503

    if (state?.background === true && prepared.pending !== undefined)
      return await startInBackground(gateway, { context, caller, model, clientCall, prepared, restored }) // 400, 503
    if (documents !== null) checkDocuments(gateway, caller) // 400, 403
    if (purpose === 'realtime') resources.use(await admit(gateway, { context, caller, model, record })) // 429
    if (clientCall.purpose !== 'batch' && gateway.rates.limitsRequests) {
      const { bytes, outputTokensMax } = prepared.request
      resources.use(gateway.rates.take({ context, caller, model, record, bytes: bytes.length, outputTokensMax })) // 429
    }
    const final =
      documents === null
        ? prepared
        : await withSources(gateway, prepared, { context, caller, model: model.record.name }) // 400 and the search's

    if (final.call.endpoint.startsWith('images/')) recordImages(record, final.request, resources)
    const allowed = haveBudgets(gateway)
      ? await reserveBudget(gateway, { caller, model, size: final.request.size, record }) // 400, 402, 503
      : model

    const { bytes, outputTokensMax, form } = final.request
    const size = { bytes: bytes.length, outputTokensMax, settles: true }
    const prefix = prefixOf(allowed, context, final.request)
    const call: ServedCall = {
      gateway,
      context,
      caller,
      record,
      resources,
      model: allowed,
      prepared: final,
      purpose,
      isAsync,
      size,
      form,
      prefix,
    }
    return await askUpstreams(call) // 4xx of the upstream, 502, 503, 504
  } catch (thrown) {
    const error = toApiError(thrown)
    record.fail(error)
    throw error
  }
}

function searchesFiles({ searchFiles }: Gateway, { endpoint }: ModelCall, { state }: ModelRequest): boolean {
  return state !== null && state.fileSearch !== null && endpoint === 'responses' && searchFiles !== null
}

/** The head of the answer names the tools that the model does without. */
function tellDropped(context: RequestContext, { dropped }: PreparedCall): void {
  if (dropped?.length) context.addHeader('x-sluice-dropped-tools', headerList(dropped))
}

/** Its rounds are calls of their own, and recorded in place of this one. */
async function withFileSearch(
  gateway: Gateway,
  call: Omit<SearchedCall, 'searchFiles' | 'serve'>,
  record: RequestRecord,
): Promise<Response> {
  const { context, caller, clientCall, request, model } = call
  const { searchFiles } = gateway
  if (searchFiles === null) throw new Error('the gateway has no vector stores')
  if (request.state?.background === true) {
    const pending = (): Readonly<Record<string, unknown>> => clientCall.pending?.(request, gateway.clock.now()) ?? {}
    const prepared = { call: clientCall, request, pending }
    record.withdraw()
    return startInBackground(gateway, { context, caller, model, clientCall, prepared, restored: request })
  }
  record.withdraw()
  return serveFileSearch(gateway, { ...call, searchFiles, serve: serveModelCall })
}

function recordOf({ recorder }: Gateway, context: RequestContext, caller: Caller, call: ModelCall): RequestRecord {
  const record = recorder.begin(context, caller, call.endpoint, call.traced)
  record.isBatch = call.answered !== undefined
  record.onSettled = call.settled
  return record
}

/** A call that says nothing of it is live, unless the request gives way to live ones. */
function rankOf({ purpose, isAsync }: ModelCall, { flex }: ModelRequest): { purpose: Purpose; isAsync: boolean } {
  return { purpose: purpose ?? (flex ? 'batch' : 'realtime'), isAsync: isAsync ?? flex }
}

/** The limits of every body that names a model. Its room in memory is given back with the resources of the request. */
export function bodyLimits({ settings, bodies }: Gateway, { account }: Caller, held: DisposableStack): BodyLimits {
  return {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
    room: { budget: bodies, owner: account.user.id, held },
  }
}

/** What the strategy `affinity` goes by; null for every other one. */
function prefixOf({ strategy }: Model, { request }: RequestContext, { bytes, cacheKey }: ModelRequest): Prefix | null {
  return strategy === 'affinity' ? { bytes, key: cacheKey ?? request.headers.get('x-session-id') } : null
}

/** A form is closed with the answer, even in the middle of an upload; only then is its length known. */
function recordRequest(record: RequestRecord, request: ModelRequest, resources: DisposableStack): void {
  const { model, bytes, streamed, form } = request
  record.modelAsked = model
  record.requestBytes = bytes.length
  record.streamed = streamed
  if (form !== null) holdForm(record, form, resources)
}

function holdForm(record: RequestRecord, form: FormBody, resources: DisposableStack): void {
  resources.use(form)
  resources.defer(() => void (record.requestBytes = form.bytesRead))
}

type Logged = Pick<ServedCall, 'context' | 'caller' | 'record' | 'model'>

/** Has the content logged where that is on. */
function logContent({ contentLog }: Gateway, logged: Logged, request: ModelRequest): void {
  if (contentLog.isOn) beginLog(contentLog, logged, request)
}

/** The parts of a form are not kept. */
function beginLog(log: Gateway['contentLog'], { record, ...from }: Logged, { bytes, form, model }: ModelRequest): void {
  const noted = (): Uint8Array => Buffer.from(JSON.stringify({ model, form: '[multipart form]' }))
  record.content = log.begin({ ...from, endpoint: record.endpoint, bytes: form === null ? () => bytes : noted })
}

/** A form says how many when that part of it has passed. */
function recordImages(record: RequestRecord, { form, size }: ModelRequest, resources: DisposableStack): void {
  record.images = size.images
  if (form !== null) resources.defer(() => void (record.images = form.count))
}

interface RestoringCall extends Restoring {
  readonly model: Model
  readonly endpoint: Endpoint
}

/** The request with what it builds on and the files that it names, as far as the gateway keeps them. Only such requests wait. */
function restoreIfNeeded(
  gateway: Gateway,
  request: ModelRequest,
  from: RestoringCall,
): ModelRequest | Promise<ModelRequest> {
  const { state } = request
  if (state === null || state.kept !== null) return withFiles(gateway, request, from)
  return restoreAll(gateway, request, state, from)
}

/** Apart, so that a request that builds on nothing makes no closure. */
async function restoreAll(
  gateway: Gateway,
  request: ModelRequest,
  state: NonNullable<ModelRequest['state']>,
  from: RestoringCall,
): Promise<ModelRequest> {
  return withFiles(gateway, await restoreState(gateway, request, state, from), from)
}

/** The request with the content of the files of the account that it names. Answers 400, 404, 413 and 503 by throwing. */
export function withFiles(
  { findFile }: Gateway,
  request: ModelRequest,
  { context, caller, model, endpoint, limits }: RestoringCall,
): ModelRequest | Promise<ModelRequest> {
  if (findFile === null || !mayNameFiles(endpoint, request.bytes)) return request
  const sharesForm = model.upstreams.some(({ provider }) => isAzure(provider.baseUrl))
  return inlineFiles({ context, caller, limits, findFile, sharesForm }, endpoint, request)
}

/** Names of the caller in a header: nothing but letters that a header may have. */
function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replaceAll(/[^\w.:-]/g, '_').slice(0, 64))
    .join(', ')
    .slice(0, 1000)
}

interface BackgroundStart {
  readonly context: RequestContext
  readonly caller: Caller
  readonly model: Model
  readonly clientCall: ModelCall
  readonly prepared: PreparedCall
  /** The request before its translation. */
  readonly restored: ModelRequest
}

/** Answers with a response that this process makes from now on, in a call of its own that takes no in-flight slot. */
async function startInBackground(gateway: Gateway, start: BackgroundStart): Promise<Response> {
  const { context, caller, model, clientCall, prepared, restored } = start
  const kept = restored.state?.kept ?? null
  if (kept === null || restored.state === null) throw new Error('a request in the background has a state')
  if (!kept.stored) throw invalidBody('background', '"background" needs responses that are kept: leave "store" out.')
  const pending = prepared.pending?.() ?? {}
  const streamed = withBytes({ ...restored, streamed: true }, streamedBody(restored.bytes))
  const request = { ...streamed, state: { ...restored.state, background: false } }
  const call: ModelCall = { ...clientCall, purpose: 'batch', read: () => Promise.resolve(request) }
  const headers = headersForUpstream(context.request.headers, gateway.settings.get('gateway.request_headers'))
  await gateway.background.start({
    owner: { userId: caller.account.user.id, modelId: model.record.id },
    state: kept,
    pending,
    answer: (signal) => {
      const inner = new InnerContext(clientCall.endpoint, { body: '', headers }, signal, gateway.clock)
      return serveModelCall(gateway, inner, caller, call)
    },
  })
  if (restored.streamed) return followResponse(gateway, context, keptResponseId(kept.hex), -1)
  return context.respond(JSON.stringify(pending), { status: 200, headers: { 'content-type': 'application/json' } })
}

/** The client's own call, or the same as a chat completion when no provider of the model has the endpoint. */
function translateIfNeeded({ providers, clock }: Gateway, model: Model, received: PreparedCall): PreparedCall {
  const { translate, pending } = received.call
  // Apart, so that a call that is never translated makes no closure.
  return translate === undefined && pending === undefined
    ? received
    : translatedCall({ providers, clock }, model, received)
}

function translatedCall(
  { providers, clock }: Pick<Gateway, 'providers' | 'clock'>,
  model: Model,
  received: PreparedCall,
) {
  const { endpoint, translate, pending } = received.call
  const known = model.upstreams.filter(({ provider }) => providers.get(provider)?.endpoints.has(endpoint))
  if (known.length === 0) return translate === undefined ? received : translate(received.request, clock.now())
  if (pending === undefined || known.some(({ provider }) => storesResponses(provider))) return received
  return { ...received, pending: () => pending(received.request, clock.now()) }
}

/** The call with the sources from the documents: in the conversation, and in the answer. */
async function withSources(
  gateway: Gateway,
  { call, request }: PreparedCall,
  from: Parameters<typeof addSources>[2],
): Promise<PreparedCall> {
  const chat = await addSources(gateway, request, from)
  return { call: { ...call, relay: chat.relay }, request: chat.request }
}
