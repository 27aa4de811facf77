/**
 * The answer of a reranker in the shape of Cohere's API, version 2. Rerankers agree on `results` with `index` and
 * `relevance_score`; they differ in what is around them.
 * Source: https://docs.cohere.com/reference/rerank
 */
import { isObject } from '#lib/json-value.ts'

export interface RerankAnswer {
  readonly id: string
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[]
  readonly meta: Readonly<Record<string, unknown>>
}

/**
 * The answer; null when the value is not that of a reranker.
 * @param id the answer's id where the provider gives none
 */
export function rerankAnswer(value: unknown, id: string): RerankAnswer | null {
  if (!isObject(value) || !Array.isArray(value['results'])) return null
  const results = value['results'].map(resultOf)
  const known = results.filter((result) => result !== null)
  if (known.length < results.length) return null
  const own = value['id']
  return { id: typeof own === 'string' && own !== '' ? own : id, results: known, meta: metaOf(value) }
}

function resultOf(value: unknown): RerankAnswer['results'][number] | null {
  if (!isObject(value)) return null
  const { index, relevance_score: score } = value
  return typeof index === 'number' && typeof score === 'number' ? { index, relevance_score: score } : null
}

/** The provider's own, or the tokens that it counts. */
function metaOf({ meta, usage }: Readonly<Record<string, unknown>>): RerankAnswer['meta'] {
  const own = isObject(meta) ? meta : {}
  const counted = isObject(usage) ? (usage['prompt_tokens'] ?? usage['total_tokens']) : undefined
  const tokens = typeof counted === 'number' && own['tokens'] === undefined ? { tokens: { input_tokens: counted } } : {}
  return { api_version: { version: '2' }, ...tokens, ...own }
}
