/** POST /ai/v1/rerank: documents in the order of how well they fit a query. */
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

function checkQuery({ query, documents }: Fields): void {
  // A query may also be an object, for models that rank pictures.
  if (query === undefined || query === null) throw invalidBody('query', '"query" is missing.')
  if (documents === undefined || documents === null) throw invalidBody('documents', '"documents" is missing.')
}
