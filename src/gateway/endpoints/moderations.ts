/** POST /ai/v1/moderations: whether a text or a picture is harmful, and how. */
import type { ModelCall } from './model-call.ts'
import { invalidBody, type Fields } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { readInputUsage } from '../usage/token-usage.ts'

/** Clients of this endpoint may leave the model out and mean this one. */
const defaultModel = 'omni-moderation-latest'

export const moderation: ModelCall = {
  endpoint: 'moderations',
  read: (context, limits) => readModelRequest(context, limits, { check: checkInput, defaultModel }),
  asksUsage: false,
  relay: (reply, relay) => relayWhole(reply, relay, readInputUsage),
}

function checkInput({ input }: Fields): void {
  if (typeof input !== 'string' && !Array.isArray(input))
    throw invalidBody('input', '"input" must be a string or an array.')
}
