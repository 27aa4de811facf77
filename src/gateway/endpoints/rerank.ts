/**
 * POST /ai/v1/rerank and, for Cohere's clients, /ai/v2/rerank: documents in the order of how well they fit a query. Both
 * are the same call of a provider.
 */
import { z } from 'zod'
import { rerankAnswer } from '#dialects/cohere/rerank-answer.ts'
import { ApiError } from '#errors/api-error.ts'
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import type { ModelCall } from './model-call.ts'
import { invalidBody, type Fields } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { readInputUsage } from '../usage/token-usage.ts'

/** Jina's form, which vLLM, Cohere and others have adopted; there is no standard. */
export const rerank: ModelCall = {
  endpoint: 'rerank',
  read: (context, limits) => readModelRequest(context, limits, checkQuery),
  asksUsage: false,
  relay: (reply, relay) => relayWhole(reply, relay, readInputUsage),
}

/** The answer has Cohere's shape, whatever the provider's has. */
export const cohereRerank: ModelCall = {
  ...rerank,
  relay: (reply, relay) => relayWhole(reply, relay, readInputUsage, (body) => asCohere(body, relay.context.requestId)),
}

/** The answer of Cohere's API as the OpenAPI document shows it. */
export const cohereRerankAnswer = z.object({
  id: z.string(),
  results: z.array(z.object({ index: z.int(), relevance_score: z.number() })),
  meta: z.looseObject({}),
})

function asCohere(body: Buffer, id: string): Buffer<ArrayBuffer> {
  const answer = rerankAnswer(parsed(body), id)
  if (answer === null)
    throw new ApiError('upstream_invalid_response', { message: "The provider's answer is not that of a reranker." })
  return Buffer.from(JSON.stringify(answer))
}

function parsed(body: Buffer): unknown {
  try {
    return parseBounded(body, passedJsonLimits)
  } catch (cause) {
    throw new ApiError('upstream_invalid_response', { cause })
  }
}

function checkQuery({ query, documents }: Fields): void {
  // A query may also be an object, for models that rank pictures.
  if (query === undefined || query === null) throw invalidBody('query', '"query" is missing.')
  if (documents === undefined || documents === null) throw invalidBody('documents', '"documents" is missing.')
}
