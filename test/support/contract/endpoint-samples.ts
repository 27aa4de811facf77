/**
 * For each endpoint of the AI API a small valid request and the answer that a provider gives to it.
 * Shapes: https://platform.openai.com/docs/api-reference, https://docs.jina.ai (rerank).
 */

export const textUsage = { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 } as const
export const mediaUsage = { total_tokens: 120, input_tokens: 20, output_tokens: 100 } as const

/** Bodies of endpoints that take JSON, without the model. */
export const endpointRequests = {
  'chat/completions': { messages: [{ role: 'user', content: 'Say hello.' }] },
  completions: { prompt: 'Once upon a time' },
  embeddings: { input: 'a text' },
  rerank: { query: 'a question', documents: ['one', 'two'] },
  moderations: { input: 'a text' },
  'images/generations': { prompt: 'a whale' },
  'audio/speech': { input: 'Hello.', voice: 'alloy' },
} as const

export type JsonEndpoint = keyof typeof endpointRequests

/** Fields of endpoints that take a form, in the order in which the official client sends them. */
export const endpointForms = {
  'images/edits': (model: string) => [
    ['image', new File(['a picture'], 'whale.png', { type: 'image/png' })] as const,
    ['prompt', 'with a hat'] as const,
    ['model', model] as const,
  ],
  'images/variations': (model: string) => [
    ['model', model] as const,
    ['image', new File(['a picture'], 'whale.png', { type: 'image/png' })] as const,
  ],
  'audio/transcriptions': (model: string) => [
    ['file', new File(['a recording'], 'hello.mp3', { type: 'audio/mpeg' })] as const,
    ['model', model] as const,
  ],
  'audio/translations': (model: string) => [
    ['file', new File(['a recording'], 'salut.mp3', { type: 'audio/mpeg' })] as const,
    ['model', model] as const,
  ],
} as const

export type FormEndpoint = keyof typeof endpointForms

/** A form as a client sends it. */
export function formOf(fields: readonly (readonly [string, string | Blob])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

/** What a provider answers, as JSON; speech, which is none, is not among them. */
export const endpointAnswers: Readonly<Record<string, object>> = {
  completions: {
    id: 'cmpl-sample',
    object: 'text_completion',
    created: 1_760_000_000,
    model: 'upstream-model',
    choices: [{ index: 0, text: ' there was', logprobs: null, finish_reason: 'stop' }],
    usage: textUsage,
  },
  rerank: {
    model: 'upstream-model',
    usage: { total_tokens: 31 },
    results: [
      { index: 1, relevance_score: 0.81 },
      { index: 0, relevance_score: 0.2 },
    ],
  },
  moderations: {
    id: 'modr-sample',
    model: 'upstream-model',
    results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.01 } }],
  },
  'images/generations': { created: 1_760_000_000, data: [{ b64_json: 'aGk=' }], usage: mediaUsage },
  'images/edits': { created: 1_760_000_000, data: [{ b64_json: 'aGk=' }], usage: mediaUsage },
  'images/variations': { created: 1_760_000_000, data: [{ b64_json: 'aGk=' }] },
  'audio/transcriptions': { text: 'Hello.', usage: { type: 'tokens', ...mediaUsage } },
  'audio/translations': { text: 'Hello.' },
}
