/**
 * POST /ai/v1/rerank and, for Cohere's clients, /ai/v2/rerank: documents in the order of how well they fit a query. Both
 * are the same call of a provider.
 */
import { z } from '#lib/schema.ts'
import { rerankAnswer } from '#dialects/cohere/rerank-answer.ts'
import type { ModelCall } from './model-call.ts'
import { invalidBody, type Fields } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayAs } from '../relay/relay-as.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { readInputUsage } from '../usage/token-usage.ts'

/** Jina's form, which vLLM, Cohere and others have adopted; there is no standard. */
export const rerank: ModelCall = {
  endpoint: 'rerank',
  read: (context, limits) => readModelRequest(context, limits, { check: checkQuery }),
  asksUsage: false,
  relay: (reply, relay) => relayWhole(reply, relay, readInputUsage),
}

/** The answer has Cohere's shape, whatever the provider's has. */
export const cohereRerank: ModelCall = {
  ...rerank,
  relay: (reply, relay) =>
    relayAs(reply, relay, { of: 'a reranker', made: (value) => rerankAnswer(value, relay.context.requestId) }),
}

/** The answer of Cohere's API as the OpenAPI document shows it. */
export const cohereRerankAnswer = z.object({
  id: z.string(),
  results: z.array(z.object({ index: z.int(), relevance_score: z.number() })),
  meta: z.looseObject({}),
})

function checkQuery({ query, documents }: Fields): void {
  // A query may also be an object, for models that rank pictures.
  if (query === undefined || query === null) throw invalidBody('query', '"query" is missing.')
  if (documents === undefined || documents === null) throw invalidBody('documents', '"documents" is missing.')
}
