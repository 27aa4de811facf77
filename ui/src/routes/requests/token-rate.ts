/** The speed of a recorded answer. */
import type { RequestRecord } from '../../api/schema.d.ts'
import { tokensPerSecond } from '../playground/answer/answer-metrics.ts'

export type TimedRequest = Pick<RequestRecord, 'streamed' | 'completion_tokens' | 'first_token_ms' | 'duration_ms'>

/** Tokens per second after the first token; null when unknown, and for an answer that arrived all at once. */
export function tokenRate(request: TimedRequest): string | null {
  const {
    streamed,
    completion_tokens: completionTokens,
    first_token_ms: firstTokenMs,
    duration_ms: elapsedMs,
  } = request
  if (!streamed) return null
  return tokensPerSecond({ firstTokenMs, elapsedMs, completionTokens })?.toFixed(1) ?? null
}
