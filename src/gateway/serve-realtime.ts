/**
 * GET /ai/v1/realtime: a WebSocket to a model's provider. Who may use it, rules, limits and budgets are those of every call
 * of a model (serve-model-call.ts); they refuse before the request becomes a WebSocket, as does the provider. The slot is
 * held for the life of the session.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import { SocketRefused, UpstreamFailure, type SocketCall, type UpstreamSocket } from '#providers/provider.ts'
import { admit } from './admission/admit.ts'
import { applyRules } from './admission/apply-rules.ts'
import { reserveBudget } from './admission/reserve-budget.ts'
import { resolveModel } from './admission/resolve-model.ts'
import { withEndpoint } from './admission/with-endpoint.ts'
import { CallWatch } from './call/call-watch.ts'
import { headersForUpstream } from './call/headers.ts'
import type { Gateway } from './gateway.ts'
import { sessionSize } from './request/request-size.ts'
import { timeoutsOf } from './upstreams/call-upstream.ts'
import { failOver } from './upstreams/fail-over.ts'
import { reportFailure } from './upstreams/forward.ts'
import { failureError, upstreamError } from './upstreams/upstream-error.ts'
import type { RequestRecord } from './usage/usage-recorder.ts'
import { RealtimeSession } from './realtime/realtime-session.ts'

/** The WebSocket, open at both ends. Throws the ApiError to answer; all resources of the request are released by then. */
export async function serveRealtime(gateway: Gateway, context: RequestContext, caller: Caller): Promise<Response> {
  using resources = new DisposableStack()
  const record = resources.use(gateway.recorder.begin(context, caller, 'realtime'))
  try {
    const asked = readRealtimeRequest(context, caller) // 400, 401, 426
    record.modelAsked = asked.model
    record.streamed = true
    const catalog = gateway.catalog()
    const named = resolveModel(catalog, asked.model, caller) // 403, 404, 503
    refuseOtherModel(named, caller) // 403
    const routed = applyRules(catalog, named, caller, 'realtime') // 403, 404, 503
    record.model = routed
    const model = withEndpoint(gateway.providers, routed, 'realtime') // 404
    resources.use(await admit(gateway, { context, caller, model, record })) // 429
    // What a session will say is known when it has said it.
    const size = { bytes: 0, outputTokensMax: null, settles: true }
    resources.use(gateway.rates.take({ context, caller, model, record, ...size })) // 429
    const allowed = await reserveBudget(gateway, { caller, model, size: sessionSize, record }) // 400, 402, 503

    return await failOver(
      gateway,
      { context, caller, model: allowed, purpose: 'realtime', record, size },
      async (upstream, attempt) => {
        const session = sessionOf(gateway, record, () => mayStill(gateway, caller, asked.model))
        const target = { context, record, model: allowed, upstream }
        const socket = await connect(gateway, target, asked, session) // 4xx of the upstream, 502, 504
        resources.use(attempt)
        if (asked.begin !== null) socket.send(asked.begin)
        session.connected(socket, resources.move())
        return becomeSocket(context, session, asked) // 426
      },
    )
  } catch (thrown) {
    const error = toApiError(thrown)
    record.fail(error)
    throw error
  }
}

interface RealtimeRequest extends Pick<SocketCall, 'query' | 'headers'> {
  readonly model: string
  /** The protocol that both sides speak, of those that the client offers; null when it offers none. */
  readonly protocol: string | null
  /** What the provider is told before the client says anything; null for nothing. */
  readonly begin: string | null
}

const protocol = 'realtime'
/** A page cannot send the header of this name. */
const betaProtocol = 'openai-beta.realtime-v1'

function readRealtimeRequest({ request, query: asked }: RequestContext, { key, grant }: Caller): RealtimeRequest {
  const { headers } = request
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') throw new ApiError('upgrade_required')
  // Browsers send cookies with the WebSockets of any page.
  if (key === null) throw new ApiError('missing_api_key')
  const { deployment, model = deployment ?? grant?.model, 'api-version': _, ...others } = Object.fromEntries(asked)
  if (model === undefined || model === '') throw new ApiError('missing_model', { param: 'model' })
  const offered =
    headers
      .get('sec-websocket-protocol')
      ?.split(',')
      .map((each) => each.trim()) ?? []
  return {
    model,
    query: new URLSearchParams(others),
    headers: offered.includes(betaProtocol) ? { 'openai-beta': 'realtime=v1' } : {},
    protocol: offered.includes(protocol) ? protocol : null,
    begin: grant?.session ? JSON.stringify({ type: 'session.update', session: grant.session }) : null,
  }
}

/** A client secret is good for the model that it was made for, by whatever name. */
function refuseOtherModel({ record }: Model, { grant }: Caller): void {
  if (grant === undefined || grant.model === record.name) return
  throw new ApiError('model_access_denied', {
    param: 'model',
    message: `This client secret is for the model ${grant.model}. Make another one for another model.`,
  })
}

/** A session may outlive the key that it was opened with, and the right to use the model. */
function mayStill({ catalog, callerNow }: Gateway, caller: Caller, model: string): boolean {
  const current = callerNow(caller)
  if (current === null) return false
  const { kind } = catalog().resolve(model, current)
  return kind === 'found' || kind === 'in_doubt'
}

function sessionOf(
  { settings, clock, ticker, shutdown }: Gateway,
  record: RequestRecord,
  isAllowed: () => boolean,
): RealtimeSession {
  return new RealtimeSession({
    record,
    isAllowed,
    bufferBytesMax: settings.get('realtime.buffer_bytes'),
    messageBytesMax: settings.get('realtime.max_message_bytes'),
    idleMs: settings.get('realtime.idle_seconds') * 1000,
    clock,
    ticker,
    shutdown,
  })
}

/** A client that has left in the meantime leaves nothing behind. */
function becomeSocket(context: RequestContext, session: RealtimeSession, asked: RealtimeRequest): Response {
  try {
    return context.upgrade(session, asked.protocol === null ? {} : { 'sec-websocket-protocol': asked.protocol })
  } catch (thrown) {
    session.abandon(thrown)
    throw thrown
  }
}

interface ConnectTarget {
  readonly context: RequestContext
  readonly record: RequestRecord
  readonly model: Model
  readonly upstream: Upstream
}

/** The provider's end, open. Throws the ApiError to answer. */
async function connect(
  gateway: Gateway,
  { context, record, model, upstream }: ConnectTarget,
  asked: RealtimeRequest,
  session: RealtimeSession,
): Promise<UpstreamSocket> {
  record.upstream = upstream
  record.attempts += 1
  const provider = gateway.providers.get(upstream.provider)
  if (provider?.connect === undefined) throw new ApiError('upstream_unavailable')
  const { connectSeconds: totalSeconds } = timeoutsOf(gateway, model, upstream)
  using watch = new CallWatch(context, gateway, totalSeconds)
  const allowed = headersForUpstream(context.request.headers, gateway.settings.get('gateway.request_headers'))
  const { requestId } = context
  const headers: Record<string, string> = { ...allowed, ...asked.headers }
  const { trace } = record
  if (trace !== null)
    headers['traceparent'] = trace.attempt(upstream.provider.name, upstream.model.name, context.clock.elapsed())
  const call = { upstreamModel: upstream.upstreamName, query: asked.query, headers, requestId, signal: watch.signal }
  try {
    const socket = await provider.connect(call, session.upstreamEnd)
    record.upstreamStatus = 101
    return socket
  } catch (thrown) {
    const error = await connectError(thrown, watch.reason, upstream)
    if (thrown instanceof SocketRefused) record.upstreamStatus = thrown.status
    trace?.attemptFailed(error.code, context.clock.elapsed())
    if (error.row.origin === 'upstream') reportFailure(gateway, { context, upstream }, error)
    throw error
  }
}

/** A refusal of the provider has its words only where they are the client's: see `SocketRefused.reply`. */
async function connectError(thrown: unknown, ended: ApiError | null, { provider }: Upstream): Promise<ApiError> {
  if (thrown instanceof SocketRefused) {
    const body = { read: () => null, cancel: () => {} }
    const known = provider.credential === null ? [] : [provider.credential]
    return upstreamError(thrown.reply ?? { status: thrown.status, headers: {}, body }, known)
  }
  if (ended?.code === 'upstream_timeout') return failureError(new UpstreamFailure('connect-timeout', ended), null)
  return failureError(thrown, ended)
}
