/**
 * Bodies of the OpenAI dialect that the scripted upstream sends, as plain data: tests compare what
 * came through the gateway with the very same objects.
 * Shapes: https://platform.openai.com/docs/api-reference/chat
 */

export interface SampleOptions {
  readonly model?: string
  /** The pieces of the answer: joined in a whole answer, one event each in a stream. */
  readonly pieces?: readonly string[]
  /**
   * Where a stream tells its token counts: `none`, in an event of its own at the end, or (as some
   * providers do) already in the first event and again at the end.
   */
  readonly usage?: 'none' | 'last' | 'early'
  /** False leaves out the event with the `finish_reason`. */
  readonly finish?: boolean
}

/** The payload that ends a good stream. */
export const doneEvent = '[DONE]'

export const sampleUsage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 } as const

const defaultPieces = ['Hello', ', ', 'wörld 🌊'] as const
const created = 1_760_000_000
const id = 'chatcmpl-sample'

/** A whole chat completion. */
export function chatCompletion(options: SampleOptions = {}): object {
  const { model = 'upstream-model', pieces = defaultPieces } = options
  const message = { role: 'assistant', content: pieces.join(''), refusal: null }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
  return { id, object: 'chat.completion', created, model, choices, usage: sampleUsage, system_fingerprint: 'fp_sample' }
}

/** The events of a streamed chat completion, without the `[DONE]` that ends a good one. */
export function chatChunks(options: SampleOptions = {}): readonly object[] {
  const { model = 'upstream-model', pieces = defaultPieces, usage = 'none', finish = true } = options
  const head = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: 'fp_sample' }
  const choice = (delta: object, finishReason: string | null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  })
  const early = usage === 'early' ? { usage: { ...sampleUsage, completion_tokens: 0, total_tokens: 11 } } : {}
  const chunks: object[] = [{ ...choice({ role: 'assistant', content: '' }, null), ...early }]
  for (const content of pieces) chunks.push(choice({ content }, null))
  if (finish) chunks.push(choice({}, 'stop'))
  if (usage !== 'none') chunks.push({ ...head, choices: [], usage: sampleUsage })
  return chunks
}

/** One vector for each input. */
export function embeddingList(inputs: number, model = 'upstream-model'): object {
  const data = Array.from({ length: inputs }, (_, index) => ({
    object: 'embedding',
    index,
    embedding: [0.25, -0.5, index],
  }))
  return { object: 'list', data, model, usage: { prompt_tokens: 5, total_tokens: 5 } }
}

/** The answer of `GET /models`. */
export function modelList(...names: readonly string[]): object {
  const data = names.map((name) => ({ id: name, object: 'model', created, owned_by: 'upstream' }))
  return { object: 'list', data }
}

/** An error as OpenAI words it: the body of a refusal, or an event of a stream that went wrong. */
export function errorObject(message: string, code: string | null = null, type = 'server_error'): object {
  return { error: { message, type, param: null, code } }
}
