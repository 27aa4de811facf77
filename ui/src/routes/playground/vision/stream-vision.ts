/** Streams the answers to many prompts about one image, with POST /image_generate_stream. */
import { detailsOf, type ApiError, type ApiErrorDetails } from '../../../api/api-error.ts'
import { send } from '../../../api/client.ts'
import { eventData } from '../../../api/event-data.ts'

export interface VisionRequest {
  readonly model: string
  readonly image: File
  readonly prompts: readonly string[]
  /** Null = the server's default. */
  readonly maxNewTokens: number | null
}

export type PromptState = 'waiting' | 'running' | 'complete' | 'incomplete' | 'stopped' | 'failed'

/** The answer to one prompt. */
export interface PromptAnswer {
  readonly prompt: string
  readonly state: PromptState
  readonly text: string
  /** From the request to the first and to the last text; null before it. */
  readonly firstTextMs: number | null
  readonly lastTextMs: number | null
  readonly error: ApiErrorDetails | null
}

interface GenerationEvent {
  readonly text?: string
  readonly batch_id: number
  /** The answer reached the token limit before it was complete. */
  readonly incomplete?: boolean
  /** On the last event of each prompt. */
  readonly metadata?: { readonly finish_reason?: string | null }
  readonly error?: { readonly message: string; readonly code?: string | null; readonly param?: string | null }
}

export function newPromptAnswer(prompt: string): PromptAnswer {
  return { prompt, state: 'waiting', text: '', firstTextMs: null, lastTextMs: null, error: null }
}

/**
 * Yields all answers, in the order of the prompts, after each event. Throws ApiError when the request
 * fails or the connection breaks. The error of a single prompt is in its answer.
 */
export async function* streamVision(
  { model, image, prompts, maxNewTokens }: VisionRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly PromptAnswer[]> {
  const form = new FormData()
  form.set(
    'json_data',
    JSON.stringify({
      text: prompts,
      consumer_group: model,
      // Says how each answer ended: one that was cut is not done.
      return_metadata: true,
      ...(maxNewTokens !== null && { max_new_tokens: maxNewTokens }),
    }),
  )
  form.set('image_data', image)
  const startedAt = performance.now()
  const response = await send('/image_generate_stream', { method: 'POST', body: form, signal })
  const requestId = response.headers.get('x-request-id')
  let answers: readonly PromptAnswer[] = prompts.map(newPromptAnswer)
  for await (const data of eventData(response)) {
    const event = JSON.parse(data) as GenerationEvent
    const elapsedMs = performance.now() - startedAt
    answers = answers.map((answer, at) =>
      at === event.batch_id ? withEvent(answer, event, elapsedMs, requestId) : answer,
    )
    yield answers
  }
  // The stream has no final event: its end completes all answers that have not failed.
  yield answers.map((answer) =>
    answer.state === 'waiting' || answer.state === 'running' ? { ...answer, state: 'complete' } : answer,
  )
}

function withEvent(
  answer: PromptAnswer,
  { text = '', incomplete = false, metadata, error }: GenerationEvent,
  elapsedMs: number,
  requestId: string | null,
): PromptAnswer {
  if (error !== undefined) {
    const { message, code, param = null } = error
    const details = { message, code: code ?? 'upstream_stream_error', status: 200, param, requestId }
    return { ...answer, state: 'failed', error: { ...details, retryAfterSeconds: null } }
  }
  const isCut = incomplete || metadata?.finish_reason === 'length' || answer.state === 'incomplete'
  return {
    ...answer,
    state: isCut ? 'incomplete' : 'running',
    text: answer.text + text,
    firstTextMs: answer.firstTextMs ?? (text === '' ? null : elapsedMs),
    lastTextMs: text === '' ? answer.lastTextMs : elapsedMs,
  }
}

/** The answers with all unfinished ones stopped. */
export function stoppedAnswers(answers: readonly PromptAnswer[]): readonly PromptAnswer[] {
  return answers.map((answer) =>
    answer.state === 'waiting' || answer.state === 'running' ? { ...answer, state: 'stopped' } : answer,
  )
}

/** The answers with all unfinished ones failed. */
export function failedAnswers(answers: readonly PromptAnswer[], thrown: ApiError): readonly PromptAnswer[] {
  const error = detailsOf(thrown)
  return answers.map((answer) =>
    answer.state === 'waiting' || answer.state === 'running' ? { ...answer, state: 'failed', error } : answer,
  )
}
