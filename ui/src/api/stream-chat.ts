/**
 * One streamed answer of POST /ai/v1/chat/completions, as it comes. Times are measured here, where
 * the reader sits.
 */
import { ApiError } from './api-error.ts'
import { send } from './client.ts'
import { eventData } from './event-data.ts'

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: unknown
}

/** A passage of a document that the model was given; `index` is its number in brackets. */
export interface Citation {
  readonly index: number
  readonly doc_id: string
  readonly name: string | null
  readonly page: number | null
  readonly heading_path: readonly string[]
  readonly text: string
}

/** What a stream has told so far. */
export interface ChatProgress {
  readonly text: string
  /** Thoughts of a reasoning model. */
  readonly reasoning: string
  /** From sending to the first text; null before it. */
  readonly firstTokenMs: number | null
  readonly elapsedMs: number
  /** As the provider counted them; null until it says so. */
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** Why the model ended: `stop`, `length` and others; null while it has not. */
  readonly finishReason: string | null
  /** Of an answer over documents; empty for any other. */
  readonly citations: readonly Citation[]
}

/** Before the first event. */
export const noProgress: ChatProgress = {
  text: '',
  reasoning: '',
  firstTokenMs: null,
  elapsedMs: 0,
  promptTokens: null,
  completionTokens: null,
  finishReason: null,
  citations: [],
}

interface Delta {
  readonly content?: string | null
  // Two names for the same, by provider.
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: Delta
    readonly finish_reason?: string | null
  }[]
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null
  readonly citations?: readonly Citation[]
  readonly error?: { readonly message: string; readonly code?: string | null; readonly param?: string | null }
}

/**
 * Yields the progress after each event. Throws ApiError when the request is refused or the stream
 * breaks; aborting the signal ends it with what the signal throws.
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
  let progress = noProgress
  for await (const data of eventData(response)) {
    if (data === '[DONE]') return
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error !== undefined) throw brokenStream(chunk.error, requestId)
    progress = advanced(progress, chunk, performance.now() - startedAt)
    yield progress
  }
  throw brokenStream({ message: 'The answer broke off before its end. Try again.' }, requestId)
}

function advanced(progress: ChatProgress, { choices, usage, citations }: Chunk, elapsedMs: number): ChatProgress {
  const [choice] = choices ?? []
  const { text, reasoning } = saidIn(choice?.delta)
  return {
    text: progress.text + text,
    reasoning: progress.reasoning + reasoning,
    firstTokenMs: progress.firstTokenMs ?? (text + reasoning === '' ? null : elapsedMs),
    elapsedMs,
    promptTokens: usage?.prompt_tokens ?? progress.promptTokens,
    completionTokens: usage?.completion_tokens ?? progress.completionTokens,
    finishReason: choice?.finish_reason ?? progress.finishReason,
    citations: citations ?? progress.citations,
  }
}

function saidIn(delta: Delta | undefined): { readonly text: string; readonly reasoning: string } {
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
