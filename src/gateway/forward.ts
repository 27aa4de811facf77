/**
 * Sends the request to the model's provider and waits for the head of the answer. Whatever is
 * thrown here is thrown before the client has got a byte, so it has its real status.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Timeouts } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Reply } from '#lib/http1/reply.ts'
import { UpstreamFailure, type Endpoint, type Provider, type UpstreamCall } from '#providers/provider.ts'
import type { CallWatch } from './call-watch.ts'
import type { Gateway } from './gateway.ts'
import { headersForUpstream } from './headers.ts'
import type { RequestRecord } from './record.ts'
import { failureError, upstreamError } from './upstream-error.ts'

export interface ForwardRequest {
  readonly endpoint: Endpoint
  readonly body: Buffer<ArrayBuffer>
  readonly streamed: boolean
}

export interface ForwardContext {
  readonly exchange: Exchange
  readonly model: Model
  readonly watch: CallWatch
  readonly record: RequestRecord
}

/** The upstream's 2xx answer, its body unread. Answers 4xx of the upstream, 502, 503 or 504 by throwing. */
export async function forward(gateway: Gateway, request: ForwardRequest, context: ForwardContext): Promise<Reply> {
  const { exchange, model, watch, record } = context
  const provider = gateway.providers.get(model.provider)
  if (provider === null || !model.provider.enabled) throw new ApiError('upstream_unavailable')
  const call: UpstreamCall = {
    ...request,
    upstreamModel: model.record.upstreamName,
    headers: headersForUpstream(exchange.request.headers),
    requestId: exchange.requestId,
    signal: watch.signal,
    reuseConnection: true,
  }
  watch.expect('first-token', timeouts(gateway, model).firstTokenSeconds)
  try {
    const reply = await send(provider, call, record)
    record.upstreamStatus = reply.status
    if (reply.status >= 200 && reply.status < 300) return reply
    throw await upstreamError(reply)
  } catch (thrown) {
    const error = failureError(thrown, watch.reason)
    if (error.row.origin === 'upstream') gateway.metrics.upstreamError(model.provider.name, error.code)
    throw error
  }
}

/**
 * A connection that was kept open may be closed by the upstream in the moment it is used again.
 * No byte of an answer has come then, so this one case is sent once more, on a new connection.
 */
async function send(provider: Provider, call: UpstreamCall, record: RequestRecord): Promise<Reply> {
  record.attempts += 1
  try {
    return await provider.send(call)
  } catch (thrown) {
    if (!(thrown instanceof UpstreamFailure) || thrown.kind !== 'reset' || call.signal.aborted) throw thrown
    record.attempts += 1
    return provider.send({ ...call, reuseConnection: false })
  }
}

/** The time-outs of a model: its own, else its provider's, else the settings'. */
export function timeouts({ settings }: Gateway, model: Model): Required<Omit<Timeouts, 'connectSeconds'>> {
  const own = model.record.timeouts
  const provider = model.provider.timeouts
  return {
    firstTokenSeconds:
      own.firstTokenSeconds ?? provider.firstTokenSeconds ?? settings.get('gateway.first_token_seconds'),
    idleSeconds: own.idleSeconds ?? provider.idleSeconds ?? settings.get('gateway.idle_seconds'),
    totalSeconds: own.totalSeconds ?? provider.totalSeconds ?? settings.get('gateway.total_seconds'),
  }
}
