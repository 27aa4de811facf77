/**
 * What is noted of one request while it runs, and the spans that are made of it after its end. Names and attributes are
 * those of the semantic conventions for generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/). No prompt, no
 * answer and no credential is in them.
 */
import type { FinishedRequest } from '../finished-request.ts'
import { operationOf } from '../gen-ai-metrics.ts'
import type { Attributes, Span } from './span.ts'
import { newSpanId, traceparent, type TraceContext } from './trace-context.ts'

/** A request of which spans are made. */
export interface TracedRequest extends FinishedRequest {
  /** Epoch milliseconds at its beginning. */
  readonly at: number
  readonly requestId: string
  readonly modelAsked: string | null
}

interface Attempt {
  readonly spanId: string
  readonly provider: string
  readonly model: string
  readonly startedAt: number
  /** Null while it runs, and for the one whose answer the client gets: that ends with the request. */
  endedAt: number | null
  error: string | null
}

/** More are not noted: a request can make many calls. */
const attemptsMax = 100
const nothing: Attributes = {}

export class RequestTrace {
  readonly #context: TraceContext
  readonly #startedAt: number
  readonly #spanId = newSpanId()
  readonly #attempts: Attempt[] = []
  readonly #about: Attributes

  /**
   * @param startedAt when the request was taken, by the clock whose times the attempts have
   * @param about what else the span of the request says
   */
  constructor(context: TraceContext, startedAt: number, about = nothing) {
    this.#about = about
    this.#context = context
    this.#startedAt = startedAt
  }

  /** A call to a provider begins; the header that tells the provider where it belongs. */
  attempt(provider: string, model: string, now: number): string {
    const spanId = newSpanId()
    if (this.#attempts.length < attemptsMax)
      this.#attempts.push({ spanId, provider, model, startedAt: now, endedAt: null, error: null })
    return traceparent(this.#context, spanId)
  }

  /** The last call failed before its answer could be passed on. */
  attemptFailed(code: string, now: number): void {
    const last = this.#attempts.at(-1)
    if (last === undefined) return
    last.endedAt = now
    last.error = code
  }

  /** The spans of a request that has ended; none when it is neither sampled nor failed by a fault of ours or a provider's. */
  spans(request: TracedRequest): readonly Span[] {
    if (!this.#context.sampled && !isFault(request)) return []
    const { traceId, parentId } = this.#context
    const { at, durationMs, firstTokenMs, code } = request
    const operation = operationOf(request.endpoint)
    const server: Span = {
      traceId,
      spanId: this.#spanId,
      parentId,
      name: `POST /ai/v1/${request.endpoint}`,
      kind: 'server',
      startedAt: at,
      endedAt: at + durationMs,
      attributes: {
        'http.request.method': 'POST',
        'http.route': `/ai/v1/${request.endpoint}`,
        'http.response.status_code': request.status,
        'gen_ai.operation.name': operation,
        'gen_ai.request.model': request.modelServed ?? request.modelAsked,
        'gen_ai.request.stream': request.streamed,
        ...usageAttributes(request),
        'sluice.request_id': request.requestId,
        'sluice.attempts': this.#attempts.length,
        ...this.#about,
        'error.type': code,
      },
      events: firstTokenMs === null ? [] : [{ name: 'gen_ai.first_token', at: at + firstTokenMs }],
      error: isFault(request) ? code : null,
    }
    return [server, ...this.#queueSpan(request), ...this.#attempts.flatMap((each) => this.#callSpans(each, request))]
  }

  /** The wait before the first call, or until the request was given up. */
  #queueSpan({ at, queueMs, durationMs }: TracedRequest): readonly Span[] {
    if (queueMs === null) return []
    const [first] = this.#attempts
    const endedAt = at + (first === undefined ? durationMs : first.startedAt - this.#startedAt)
    return [this.#part('queue', this.#spanId, { startedAt: endedAt - queueMs, endedAt })]
  }

  /** An attempt; below the one that serves, the time until its first token, and the stream after it. */
  #callSpans(attempt: Attempt, request: TracedRequest): readonly Span[] {
    const { at, firstTokenMs, durationMs, streamed, endpoint } = request
    const call = this.#attemptSpan(attempt, operationOf(endpoint), request)
    if (attempt.endedAt !== null || firstTokenMs === null) return [call]
    // The first token is noted in whole milliseconds.
    const tokenAt = Math.max(call.startedAt, at + firstTokenMs)
    const first = this.#part('first_token', call.spanId, { startedAt: call.startedAt, endedAt: tokenAt })
    if (!streamed) return [call, first]
    const endedAt = Math.max(tokenAt, at + durationMs)
    return [call, first, this.#part('stream', call.spanId, { startedAt: tokenAt, endedAt })]
  }

  /** In seconds, of streams alone, as the conventions have it. */
  #firstChunk({ startedAt }: Attempt, { streamed, firstTokenMs }: TracedRequest): Attributes {
    if (!streamed || firstTokenMs === null) return nothing
    const afterMs = firstTokenMs - (startedAt - this.#startedAt)
    return { 'gen_ai.response.time_to_first_chunk': Math.max(0, afterMs) / 1000 }
  }

  #part(name: string, parentId: string, times: Pick<Span, 'startedAt' | 'endedAt'>): Span {
    const { traceId } = this.#context
    return {
      ...times,
      traceId,
      spanId: newSpanId(),
      parentId,
      name,
      kind: 'internal',
      attributes: nothing,
      events: [],
      error: null,
    }
  }

  #attemptSpan(attempt: Attempt, operation: string, request: TracedRequest): Span {
    const { spanId, provider, model, startedAt, endedAt, error } = attempt
    const isServing = endedAt === null
    const begun = startedAt - this.#startedAt
    return {
      traceId: this.#context.traceId,
      spanId,
      parentId: this.#spanId,
      name: `${operation} ${model}`,
      kind: 'client',
      startedAt: request.at + begun,
      // The whole is noted in whole milliseconds.
      endedAt: request.at + (isServing ? Math.max(begun, request.durationMs) : endedAt - this.#startedAt),
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
        'gen_ai.request.stream': request.streamed,
        ...(isServing && { ...usageAttributes(request), ...this.#firstChunk(attempt, request) }),
        'error.type': isServing ? request.code : error,
      },
      events: [],
      error: isServing ? (isFault(request) ? request.code : null) : error,
    }
  }
}

function usageAttributes({ promptTokens, completionTokens }: TracedRequest) {
  return { 'gen_ai.usage.input_tokens': promptTokens, 'gen_ai.usage.output_tokens': completionTokens }
}

/** A stream that broke keeps its status 200 and has a code. A client's own mistake is not a fault. */
function isFault({ status, code }: TracedRequest): boolean {
  return code !== null && (status >= 500 || status < 400) && code !== 'client_closed'
}
