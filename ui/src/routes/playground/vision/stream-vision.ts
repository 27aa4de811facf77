/** One picture with many prompts through POST /image_generate_stream: what each prompt has been answered so far. */
import { detailsOf, type ApiError, type ApiErrorDetails } from '../../../api/api-error.ts'
import { send } from '../../../api/client.ts'
import { eventData } from '../../../api/event-data.ts'

export interface VisionRequest {
  readonly model: string
  readonly image: File
  readonly prompts: readonly string[]
  /** The server's default when null. */
  readonly maxNewTokens: number | null
}

export type PromptState = 'waiting' | 'running' | 'complete' | 'incomplete' | 'stopped' | 'failed'

/** The answer to one prompt. */
export interface PromptAnswer {
  readonly prompt: string
  readonly state: PromptState
  readonly text: string
  /** From sending to the first and to the last text; null before it. */
  readonly firstTextMs: number | null
  readonly lastTextMs: number | null
  readonly error: ApiErrorDetails | null
}

interface GenerationEvent {
  readonly text?: string
  readonly batch_id: number
  /** The answer ran out of tokens before its form was complete. */
  readonly incomplete?: boolean
  readonly error?: { readonly message: string; readonly code?: string | null; readonly param?: string | null }
}

export function newPromptAnswer(prompt: string): PromptAnswer {
  return { prompt, state: 'waiting', text: '', firstTextMs: null, lastTextMs: null, error: null }
}

/**
 * Yields the answers, in the order of the prompts, after each event. Throws ApiError when the request
 * is refused or the connection breaks. A prompt that fails alone says so in its answer.
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
      at === event.batch_id ? advanced(answer, event, elapsedMs, requestId) : answer,
    )
    yield answers
  }
  // There is no last word: the end of the stream is the end of every answer that has not failed.
  yield answers.map((answer) =>
    answer.state === 'waiting' || answer.state === 'running' ? { ...answer, state: 'complete' } : answer,
  )
}

function advanced(
  answer: PromptAnswer,
  { text = '', incomplete = false, error }: GenerationEvent,
  elapsedMs: number,
  requestId: string | null,
): PromptAnswer {
  if (error !== undefined) {
    const { message, code, param = null } = error
    const details = { message, code: code ?? 'upstream_stream_error', status: 200, param, requestId }
    return { ...answer, state: 'failed', error: { ...details, retryAfterSeconds: null } }
  }
  return {
    ...answer,
    state: incomplete ? 'incomplete' : 'running',
    text: answer.text + text,
    firstTextMs: answer.firstTextMs ?? elapsedMs,
    lastTextMs: elapsedMs,
  }
}

/** The answers with all that had not ended as stopped, at once. */
export function stoppedAnswers(answers: readonly PromptAnswer[]): readonly PromptAnswer[] {
  return answers.map((answer) =>
    answer.state === 'waiting' || answer.state === 'running' ? { ...answer, state: 'stopped' } : answer,
  )
}

/** An error for all answers that had not ended. */
export function failedAnswers(answers: readonly PromptAnswer[], thrown: ApiError): readonly PromptAnswer[] {
  const error = detailsOf(thrown)
  return answers.map((answer) =>
    answer.state === 'waiting' || answer.state === 'running' ? { ...answer, state: 'failed', error } : answer,
  )
}
