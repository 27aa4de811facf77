/**
 * Sends the request to the model's provider and waits for the head of the answer. Whatever is
 * thrown here is thrown before the client has got a byte, so it has its real status.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { Timeouts } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Reply } from '#lib/http1/reply.ts'
import {
  UpstreamFailure,
  type Endpoint,
  type KeptResource,
  type Pieces,
  type UpstreamCall,
  type Upload,
} from '#providers/provider.ts'
import type { CallWatch } from '../call/call-watch.ts'
import type { Gateway } from '../gateway.ts'
import { headersForUpstream } from '../call/headers.ts'
import type { MemberReply } from '../embeddings/batched-call.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'
import { failureError, upstreamError } from './upstream-error.ts'

export interface ForwardRequest {
  readonly endpoint: Endpoint
  readonly body: Buffer<ArrayBuffer>
  /** Asked for in place of the endpoint itself. */
  readonly resource?: KeptResource
  /** Goes out in place of `body`. */
  readonly upload?: Upload
  /** The same, for providers that take pieces. */
  readonly pieces?: Pieces
  readonly streamed: boolean
  readonly accept?: string
  /** May go upstream in one call with others. */
  readonly joins?: boolean
}

export interface ForwardContext {
  readonly context: RequestContext
  readonly upstream: Upstream
  readonly watch: CallWatch
  readonly record: RequestRecord
  readonly connectSeconds: number
}

/** The upstream's 2xx answer, its body unread. Answers 4xx of the upstream, 502, 503 or 504 by throwing. */
export async function forward(gateway: Gateway, request: ForwardRequest, target: ForwardContext): Promise<Reply> {
  const { context, upstream, watch, record } = target
  record.upstream = upstream
  const provider = gateway.providers.get(upstream.provider)
  if (provider === null) throw new ApiError('upstream_unavailable')
  const call: UpstreamCall = {
    ...request,
    upstreamModel: upstream.upstreamName,
    headers: headersForUpstream(context.request.headers, gateway.settings.get('gateway.request_headers')),
    requestId: context.requestId,
    cancellation: watch,
    get signal() {
      return watch.signal
    },
    reuseConnection: true,
    connectTimeoutMs: target.connectSeconds * 1000,
  }
  try {
    const reply = await send(request.joins ? gateway.embeddingBatcher.over(provider) : provider, call, record)
    record.upstreamStatus = reply.status
    if (reply.status >= 200 && reply.status < 300) return readable(reply)
    throw await upstreamError(reply)
  } catch (thrown) {
    const error = failureError(thrown, watch.reason)
    if (error.row.origin === 'upstream' && error.detail.repeats !== true) report(gateway, target, error)
    throw error
  }
}

/** Counts and logs a failed call; the client hears less of it than the operator. */
function report({ metrics, logger }: Gateway, { context, upstream }: ForwardContext, error: ApiError): void {
  const provider = upstream.provider.name
  metrics.upstreamError(provider, error.code)
  const { internal, cause } = error.detail
  logger.warn('a call to a provider failed', {
    requestId: context.requestId,
    provider,
    model: upstream.model.name,
    code: error.code,
    ...(internal !== undefined && { internal }),
    ...(cause !== undefined && { cause }),
  })
}

interface Sender {
  send(call: UpstreamCall): Promise<MemberReply>
}

/**
 * A connection that was kept open may be closed by the upstream in the moment it is used again.
 * No byte of an answer has come then, so this one case is sent once more, on a new connection.
 */
async function send(provider: Sender, call: UpstreamCall, record: RequestRecord): Promise<MemberReply> {
  record.attempts += 1
  try {
    return await provider.send(call)
  } catch (thrown) {
    if (!(thrown instanceof UpstreamFailure) || thrown.kind !== 'stale' || call.cancellation.aborted) throw thrown
    record.attempts += 1
    return provider.send({ ...call, reuseConnection: false })
  }
}

/** No encoding is ever asked for: an answer that is packed all the same can neither be watched nor passed on. */
function readable(reply: Reply): Reply {
  const encoding = reply.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return reply
  reply.body.cancel()
  throw new ApiError('upstream_invalid_response', {
    message: 'The model provider sent a compressed answer, which it was not asked for.',
  })
}

/** The time-outs of a call: the model's own, else its component's, its provider's, the settings'. */
export function timeouts({ settings }: Gateway, model: Model, upstream: Upstream): Required<Timeouts> {
  const own = (name: keyof Timeouts): number | undefined =>
    model.record.timeouts[name] ?? upstream.model.timeouts[name] ?? upstream.provider.timeouts[name]
  return {
    connectSeconds: own('connectSeconds') ?? settings.get('gateway.connect_seconds'),
    firstTokenSeconds: own('firstTokenSeconds') ?? settings.get('gateway.first_token_seconds'),
    idleSeconds: own('idleSeconds') ?? settings.get('gateway.idle_seconds'),
    totalSeconds: own('totalSeconds') ?? settings.get('gateway.total_seconds'),
  }
}
