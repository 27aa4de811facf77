/**
 * POST /ai/v1/responses: passed through to providers that have it, state and background included;
 * for all others translated to a chat completion, without state. And what else takes the same body.
 */
import { responsesDialect } from '#dialects/responses/responses.ts'
import { readEffort } from '../request/reasoning.ts'
import { isObject, type Fields } from '../request/fields.ts'
import type { ModelCall } from '../serve-model-call.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayResponse } from '../responses/relay-response.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { readResponseState } from '../responses/pin-to-provider.ts'
import { asChatCompletion } from './translate-to-chat.ts'

const read: ModelCall['read'] = async (context, limits) => {
  let fields: Fields = {}
  const request = await readModelRequest(context, limits, (all) => void (fields = all))
  const { reasoning } = fields
  const effort = readEffort(isObject(reasoning) ? reasoning['effort'] : null, 'reasoning.effort')
  return {
    ...request,
    state: readResponseState(fields, request.bytes),
    effort,
    effortField: 'reasoning.effort',
  }
}

export const responses: ModelCall = {
  endpoint: 'responses',
  read,
  asksUsage: false,
  relay: (reply, relay) => relayResponse(reply, relay),
  otherwise: (request, now) => asChatCompletion(responsesDialect, request, now),
}

/** A conversation made shorter, by the provider. */
export const responseCompaction: ModelCall = {
  endpoint: 'responses/compact',
  read,
  asksUsage: false,
  relay: (reply, relay) => relayWhole(reply, relay),
}

/** How many tokens a request would have, counted by the provider. */
export const responseInputTokens: ModelCall = {
  endpoint: 'responses/input_tokens',
  read,
  asksUsage: false,
  relay: (reply, relay) => relayWhole(reply, relay),
}
