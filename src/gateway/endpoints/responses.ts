/**
 * POST /ai/v1/responses: passed through to providers that have it, state and background included;
 * for all others translated to a chat completion, without state.
 */
import { responsesDialect } from '#dialects/responses/responses.ts'
import type { ApiError } from '#errors/api-error.ts'
import { errorBody } from '#errors/render.ts'
import type { ModelCall } from '../model-call.ts'
import { readModelRequest } from '../model-request.ts'
import { eventsOr } from '../relay-answer.ts'
import { relayWhole } from '../relay-whole.ts'
import { asChatCompletion } from '../translated.ts'

const lastTypes = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])

export const responses: ModelCall = {
  endpoint: 'responses',
  read: (exchange, limits) => readModelRequest(exchange, limits, () => {}),
  asksUsage: false,
  relay: eventsOr((reply, relay) => relayWhole(reply, relay), lastTypes, failure),
  otherwise: (request, now) => asChatCompletion(responsesDialect, request, now),
}

/** As the API words it. It has no sequence number, because nobody counts the events that pass through. */
function failure(error: ApiError): Uint8Array {
  const { error: body } = errorBody(error)
  const { code, message, param } = body
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param, error: body })}\n\n`)
}
