/**
 * The Response object: the answer itself, what it cost, and the settings of its request.
 * Shape: https://platform.openai.com/docs/api-reference/responses/object
 */
import type { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import { type Json } from '../fields.ts'

/** How an answer stands. */
export type Outcome =
  | { readonly status: 'in_progress' | 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' }
  | { readonly status: 'failed'; readonly error: ApiError }

export interface ResponseState {
  readonly id: string
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly model: string
  /** The tier that the upstream says it used; null leaves what was asked for. */
  readonly serviceTier: string | null
  /** As the upstream of a chat completion reports it. */
  readonly usage: Json | null
  readonly outcome: Outcome
  readonly output: readonly Json[]
}

/** The object as the SDKs read it. */
export function responseBody(state: ResponseState, echo: Json): Json {
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

/** What a finish reason of a chat completion says of the answer. */
export function outcomeOf(finishReason: string | null): Outcome {
  if (finishReason === 'length') return { status: 'incomplete', reason: 'max_output_tokens' }
  if (finishReason === 'content_filter') return { status: 'incomplete', reason: 'content_filter' }
  return { status: 'completed' }
}

/** The codes here are a closed list; the exact one is in the `error` event that goes before. */
function failure(error: ApiError): Json {
  return { code: error.status === 429 ? 'rate_limit_exceeded' : 'server_error', message: error.message }
}

function responseUsage(usage: Json): Json {
  const input = count(usage, 'prompt_tokens')
  const output = count(usage, 'completion_tokens')
  const inputDetails = details(usage, 'prompt_tokens_details')
  const outputDetails = details(usage, 'completion_tokens_details')
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: count(inputDetails, 'cached_tokens'),
      cache_write_tokens: count(inputDetails, 'cache_write_tokens'),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: count(outputDetails, 'reasoning_tokens') },
    total_tokens: count(usage, 'total_tokens') || input + output,
  }
}

function details(usage: Json, name: string): Json {
  const value = usage[name]
  return isObject(value) ? value : {}
}

function count(object: Json, name: string): number {
  const value = object[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
