/**
 * Streams one answer of POST /ai/v1/chat/completions. Times are measured in the browser, as the user
 * experiences them.
 */
import { ApiError } from './api-error.ts'
import { send } from './client.ts'
import { eventData } from './event-data.ts'

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: unknown
  readonly [field: string]: unknown
}

/** A function that the model calls. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as far as the model wrote it. */
  readonly arguments: string
}

/** A passage that was given to the model. The answer refers to it by `index` in brackets. */
export interface Citation {
  readonly index: number
  readonly doc_id: string
  readonly name: string | null
  readonly page: number | null
  readonly heading_path: readonly string[]
  /** Offsets in the document's text, in code points. */
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The state of a streamed answer. */
export interface ChatProgress {
  readonly text: string
  /** The reasoning text of the model. */
  readonly reasoning: string
  /** From the request to the first text; null before it. */
  readonly firstTokenMs: number | null
  readonly elapsedMs: number
  /** Counted by the provider; null until it reports them. */
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** Parts of the prompt tokens and of the completion tokens, as far as they are reported. */
  readonly cachedTokens: number
  readonly reasoningTokens: number
  readonly toolCalls: readonly ToolCall[]
  /** Why the answer ended, such as `stop` or `length`; null before the end. */
  readonly finishReason: string | null
  /** The sources of an answer from documents; otherwise empty. */
  readonly citations: readonly Citation[]
}

/** Before the first event. */
export const initialProgress: ChatProgress = {
  text: '',
  reasoning: '',
  firstTokenMs: null,
  elapsedMs: 0,
  promptTokens: null,
  completionTokens: null,
  cachedTokens: 0,
  reasoningTokens: 0,
  toolCalls: [],
  finishReason: null,
  citations: [],
}

interface Delta {
  readonly content?: string | null
  // Providers use two names for the same field.
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly tool_calls?: readonly CallDelta[] | null
}

interface CallDelta {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null }
}

interface Usage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: Delta
    readonly finish_reason?: string | null
  }[]
  readonly usage?: Usage | null
  readonly citations?: readonly Citation[]
  readonly error?: { readonly message: string; readonly code?: string | null; readonly param?: string | null }
}

/**
 * Yields the state after each event. Throws ApiError when the request fails or the stream breaks, and
 * the signal's reason when it is aborted.
 */
export async function* streamChat(
  fields: { readonly model: string; readonly messages: readonly ChatMessage[]; readonly [field: string]: unknown },
  signal: AbortSignal,
): AsyncGenerator<ChatProgress> {
  const startedAt = performance.now()
  const response = await send('/ai/v1/chat/completions', {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, stream: true, stream_options: { include_usage: true } }),
  })
  const requestId = response.headers.get('x-request-id')
  let progress = initialProgress
  for await (const data of eventData(response)) {
    if (data === '[DONE]') return
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error !== undefined) throw brokenStream(chunk.error, requestId)
    progress = withChunk(progress, chunk, performance.now() - startedAt)
    yield progress
  }
  throw brokenStream({ message: 'The stream ended before the answer was complete. Try again.' }, requestId)
}

function withChunk(progress: ChatProgress, { choices, usage, citations }: Chunk, elapsedMs: number): ChatProgress {
  const [choice] = choices ?? []
  const { text, reasoning } = deltaText(choice?.delta)
  const calls = choice?.delta?.tool_calls ?? []
  const hasBegun = text !== '' || reasoning !== '' || calls.length > 0
  return {
    ...progress,
    ...usageFields(usage ?? {}),
    text: progress.text + text,
    reasoning: progress.reasoning + reasoning,
    firstTokenMs: progress.firstTokenMs ?? (hasBegun ? elapsedMs : null),
    elapsedMs,
    toolCalls: calls.reduce(withCall, progress.toolCalls),
    finishReason: choice?.finish_reason ?? progress.finishReason,
    citations: citations ?? progress.citations,
  }
}

/** Only what is reported. */
function usageFields(usage: Usage): Partial<ChatProgress> {
  const cached = usage.prompt_tokens_details?.cached_tokens
  const reasoning = usage.completion_tokens_details?.reasoning_tokens
  return {
    ...(usage.prompt_tokens !== undefined && { promptTokens: usage.prompt_tokens }),
    ...(usage.completion_tokens !== undefined && { completionTokens: usage.completion_tokens }),
    ...(typeof cached === 'number' && { cachedTokens: cached }),
    ...(typeof reasoning === 'number' && { reasoningTokens: reasoning }),
  }
}

/** No model calls so many functions at once. */
const callsMax = 128

/** The calls with a piece of one of them. Providers that leave the index out send each call as a whole. */
function withCall(
  calls: readonly ToolCall[],
  { index = calls.length, id, function: part }: CallDelta,
): readonly ToolCall[] {
  const known = calls[index]
  if (known === undefined)
    return index === calls.length && index < callsMax
      ? [...calls, { id: id ?? `call_${index}`, name: part?.name ?? '', arguments: part?.arguments ?? '' }]
      : calls
  const { name, arguments: before } = known
  return calls.with(index, { ...known, name: name + (part?.name ?? ''), arguments: before + (part?.arguments ?? '') })
}

function deltaText(delta: Delta | undefined): { readonly text: string; readonly reasoning: string } {
  return { text: delta?.content ?? '', reasoning: delta?.reasoning_content ?? delta?.reasoning ?? '' }
}

function brokenStream(error: NonNullable<Chunk['error']>, requestId: string | null): ApiError {
  const { message, code, param } = error
  return new ApiError({
    message,
    code: code ?? 'upstream_stream_error',
    status: 200,
    param: param ?? null,
    requestId,
    retryAfterSeconds: null,
  })
}
