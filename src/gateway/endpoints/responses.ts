/**
 * POST /ai/v1/responses: passed through to providers that have it, state and background included where they store
 * responses; for all others translated to a chat completion. The other endpoints here take the same body.
 */
import { responseBody } from '#dialects/responses/answer/response-body.ts'
import { responsesDialect } from '#dialects/responses/responses-dialect.ts'
import { readEffort } from '../request/reasoning.ts'
import { isObject } from '#lib/json-value.ts'
import { parseBody, type Fields } from '../request/fields.ts'
import type { ModelCall } from './model-call.ts'
import { readModelRequest, type ModelRequest } from '../request/model-request.ts'
import { relayResponse } from '../responses/relay-response.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { readResponseState } from '../request/response-state.ts'
import { idsOf, newHex } from '../responses/kept-ids.ts'
import { translateToChat, type TranslationOptions } from './translate-to-chat.ts'

const read: ModelCall['read'] = async (context, limits) => {
  let fields: Fields = {}
  const request = await readModelRequest(context, limits, { check: (all) => void (fields = all) })
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
  pending: pendingResponse,
  translate: (request, now) => translateToChat(responsesDialect, request, { now, ...keptFields(request) }),
}

/** What a response repeats of its request, and what it says where the request does not. */
const repeated: Readonly<Record<string, unknown>> = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: null,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
}

/** The response before its provider has said anything of it. */
function pendingResponse(request: ModelRequest, now: number): Readonly<Record<string, unknown>> {
  const body = parseBody(request.bytes)
  const told = Object.entries(repeated).map(([name, usual]): [string, unknown] => [name, body[name] ?? usual])
  const { newId = newHex, echo = {} } = keptFields(request)
  return responseBody(
    {
      id: `resp_${newId()}`,
      createdAt: Math.floor(now / 1000),
      model: request.model,
      serviceTier: null,
      usage: null,
      outcome: { status: 'queued' },
      output: [],
    },
    { ...Object.fromEntries(told), ...echo },
  )
}

/** Ids of what the gateway keeps, and what the answer says of it. */
function keptFields({ state }: ModelRequest): Pick<TranslationOptions, 'newId' | 'echo'> {
  const kept = state?.kept ?? null
  if (kept === null) return {}
  const { hex, stored, background, previousId, conversationId } = kept
  return {
    newId: idsOf(hex),
    echo: {
      store: stored,
      background,
      previous_response_id: previousId,
      ...(conversationId !== null && { conversation: { id: conversationId } }),
    },
  }
}

/** POST /ai/v1/responses/compact: a conversation that the provider makes shorter. */
export const responseCompaction: ModelCall = {
  endpoint: 'responses/compact',
  read,
  asksUsage: false,
  relay: (reply, relay) => relayWhole(reply, relay),
}

/** POST /ai/v1/responses/input_tokens: the tokens of a request, counted by the provider. */
export const responseInputTokens: ModelCall = {
  endpoint: 'responses/input_tokens',
  read,
  asksUsage: false,
  relay: (reply, relay) => relayWhole(reply, relay),
}
