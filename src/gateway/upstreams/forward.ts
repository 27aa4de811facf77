/**
 * Sends the request to the model's provider and waits for the head of the answer. What is thrown
 * here is thrown before the client has received a byte, so the client gets its real status.
 */
import type { Upstream } from '#catalog/upstream.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import {
  UpstreamFailure,
  type CallContent,
  type Endpoint,
  type Provider,
  type UpstreamCall,
} from '#providers/provider.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { CallWatch } from '../call/call-watch.ts'
import { headersForUpstream } from '../call/headers.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'
import { failureError, upstreamError, type UpstreamReply } from './upstream-error.ts'

/** What sends calls: a provider, or a batcher in front of one. */
export interface CallSender {
  send(call: UpstreamCall): Promise<UpstreamReply>
}

export interface ForwardDeps {
  readonly settings: LiveSettings
  readonly providers: ProviderPool
  /** Sends batchable calls of a provider. */
  readonly embeddingBatcher: { over(provider: Provider): CallSender }
  readonly metrics: Metrics
  readonly logger: Logger
}

export interface ForwardRequest {
  readonly endpoint: Endpoint
  readonly content: CallContent
  readonly streamed: boolean
  readonly accept?: string | undefined
  /** May go upstream in one call with others. */
  readonly batchable?: boolean | undefined
  /** Answers in place of the provider. */
  readonly answered?: CallSender | undefined
}

export interface ForwardTarget {
  readonly context: RequestContext
  readonly upstream: Upstream
  readonly record: RequestRecord
}

/** How a request goes to its target. */
export interface Forwarded {
  readonly target: ForwardTarget
  readonly watch: CallWatch
  readonly content: CallContent
  readonly connectSeconds: number
}

/**
 * One call on its way to a provider. Its steps are apart so that `callUpstream` alone waits for them: an asynchronous
 * function for each would cost a request more than what it does.
 */
export class Forwarding implements UpstreamCall {
  readonly endpoint: Endpoint
  readonly upstreamModel: string
  readonly content: CallContent
  readonly streamed: boolean
  readonly accept: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
  readonly cancellation: CallWatch
  readonly connectTimeoutMs: number
  readonly responseBytesMax: number
  reuseConnection = true
  readonly #deps: ForwardDeps
  readonly #target: ForwardTarget
  readonly #sender: CallSender
  #hasAnswered = false

  /** Answers 503 by throwing when the provider is of no kind that this version knows. */
  constructor(deps: ForwardDeps, request: Omit<ForwardRequest, 'content'>, forwarded: Forwarded) {
    const { settings } = deps
    const { endpoint, streamed, accept, batchable, answered } = request
    const { target, watch, content, connectSeconds } = forwarded
    const { context, upstream, record } = target
    record.upstream = upstream
    record.wasLeft = false
    const provider = deps.providers.get(upstream.provider)
    if (provider === null) throw new ApiError('upstream_unavailable')
    this.endpoint = endpoint
    this.upstreamModel = upstream.upstreamName
    this.content = content
    this.streamed = streamed
    this.accept = accept
    this.requestId = context.requestId
    this.cancellation = watch
    this.connectTimeoutMs = connectSeconds * 1000
    this.responseBytesMax = settings.get('gateway.max_response_bytes')
    const headers = headersForUpstream(context.request.headers, settings.get('gateway.request_headers'))
    const { trace } = record
    if (trace !== null)
      headers['traceparent'] = trace.attempt(upstream.provider.name, upstream.model.name, context.clock.elapsed())
    this.headers = headers
    this.#deps = deps
    this.#target = target
    this.#sender = answered ?? (batchable === true ? deps.embeddingBatcher.over(provider) : provider)
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  /** Sends the call. What it throws or rejects with is for `recover`. */
  send(): Promise<UpstreamReply> {
    this.#target.record.attempts += 1
    return this.#sender.send(this)
  }

  /** The upstream's 2xx answer, its body unread; with a promise only for one that is refused. What it throws or rejects with is for `recover`. */
  accepted(reply: UpstreamReply): Reply | Promise<Reply> {
    this.#hasAnswered = true
    this.#target.record.upstreamStatus = reply.status
    return reply.status >= 200 && reply.status < 300 ? unencoded(reply) : this.#refuse(reply)
  }

  /** The answer after all, for a connection that was just closed; else answers 4xx of the upstream, 502, 503 or 504 by throwing. */
  async recover(thrown: unknown): Promise<Reply> {
    if (!this.#isStale(thrown)) throw this.#failure(thrown)
    try {
      this.reuseConnection = false
      return await this.accepted(await this.send())
    } catch (again) {
      throw this.#failure(again)
    }
  }

  async #refuse(reply: UpstreamReply): Promise<never> {
    const { credential } = this.#target.upstream.provider
    throw await upstreamError(reply, credential === null ? [] : [credential])
  }

  /**
   * An upstream may close a kept connection in the moment in which it is used again. No byte of an answer
   * has come then, so the call is sent once more, on a new connection. No other failure is tried again here.
   */
  #isStale(thrown: unknown): boolean {
    const isStale = thrown instanceof UpstreamFailure && thrown.kind === 'stale'
    return isStale && !this.#hasAnswered && !this.cancellation.aborted
  }

  #failure(thrown: unknown): ApiError {
    const { context, record } = this.#target
    const { reason } = this.cancellation
    const error = failureError(thrown, reason)
    record.wasLeft = !this.#hasAnswered && reason !== null
    record.trace?.attemptFailed(error.code, context.clock.elapsed())
    if (error.row.origin === 'upstream' && error.detail.repeats !== true) reportFailure(this.#deps, this.#target, error)
    return error
  }
}

/** Counts and logs a failed call; the operator reads more about it than the client. */
export function reportFailure(
  { metrics, logger }: Pick<ForwardDeps, 'metrics' | 'logger'>,
  { context, upstream }: Pick<ForwardTarget, 'context' | 'upstream'>,
  error: ApiError,
): void {
  const provider = upstream.provider.name
  metrics.upstreamError(provider, error.code)
  const { internal, cause, headers } = error.detail
  const upstreamRequestId = headers?.['x-upstream-request-id']
  logger.warn('a call to a provider failed', {
    requestId: context.requestId,
    provider,
    model: upstream.model.name,
    code: error.code,
    ...(upstreamRequestId !== undefined && { upstreamRequestId }),
    ...(internal !== undefined && { internal }),
    ...(cause !== undefined && { cause }),
  })
}

/** The reply, if its body is not encoded: no encoding was asked for, and an encoded body could neither be watched nor passed on. */
function unencoded(reply: Reply): Reply {
  const encoding = reply.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return reply
  reply.body.cancel()
  throw new ApiError('upstream_invalid_response', {
    message: 'The model provider sent a compressed answer, which it was not asked for.',
  })
}
