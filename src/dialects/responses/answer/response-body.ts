/**
 * The Response object: the output, the usage, and the settings of its request.
 * Shape: https://platform.openai.com/docs/api-reference/responses/object
 */
import type { ApiError } from '#errors/api-error.ts'
import type { ChatUsage } from '../../chat/chat-answer.ts'
import type { JsonObject } from '../../dialect.ts'

/** The status of a response, with what belongs to it. */
export type Outcome =
  | { readonly status: 'queued' | 'in_progress' | 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' }
  | { readonly status: 'failed'; readonly error: ApiError }

/** What a Response object shows besides its request. */
export interface ResponseState {
  readonly id: string
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly model: string
  /** The tier that the upstream used; null leaves the requested one. */
  readonly serviceTier: string | null
  readonly usage: ChatUsage | null
  readonly outcome: Outcome
  readonly output: readonly JsonObject[]
}

/** The object as the SDKs read it. */
export function responseBody(state: ResponseState, echo: JsonObject): JsonObject {
  const { outcome } = state
  return {
    id: state.id,
    object: 'response',
    created_at: state.createdAt,
    status: outcome.status,
    error: outcome.status === 'failed' ? failure(outcome.error) : null,
    incomplete_details: outcome.status === 'incomplete' ? { reason: outcome.reason } : null,
    ...echo,
    ...(state.serviceTier === null ? {} : { service_tier: state.serviceTier }),
    model: state.model,
    output: state.output,
    usage: state.usage === null ? null : responseUsage(state.usage),
  }
}

/** The outcome for a finish reason of a chat completion. */
export function outcomeOf(finishReason: string | null): Outcome {
  if (finishReason === 'length') return { status: 'incomplete', reason: 'max_output_tokens' }
  if (finishReason === 'content_filter') return { status: 'incomplete', reason: 'content_filter' }
  return { status: 'completed' }
}

/** The codes of this object are a closed list; the `error` event before it has the exact one. */
function failure(error: ApiError): JsonObject {
  return { code: error.status === 429 ? 'rate_limit_exceeded' : 'server_error', message: error.message }
}

function responseUsage(usage: ChatUsage): JsonObject {
  const input = usage.promptTokens ?? 0
  const output = usage.completionTokens ?? 0
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.totalTokens || input + output,
  }
}
