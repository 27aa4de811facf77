/** POST /ai/v1/images/generations, /ai/v1/images/edits and /ai/v1/images/variations: pictures from words, and from pictures. */
import type { ModelCall } from './model-call.ts'
import { invalidBody, type Fields } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { readFormRequest } from '../request/read-form-request.ts'
import { eventsOr } from '../relay/relay-answer.ts'
import { relayWhole } from '../relay/relay-whole.ts'

const either = 'application/json, text/event-stream'

export const imageGeneration: ModelCall = {
  endpoint: 'images/generations',
  read: (context, limits) => readModelRequest(context, limits, { check: checkPrompt }),
  asksUsage: false,
  accept: either,
  relay: eventsOr(relayWhole, new Set(['image_generation.completed'])),
}

export const imageEdit: ModelCall = {
  endpoint: 'images/edits',
  read: readFormRequest,
  asksUsage: false,
  accept: either,
  relay: eventsOr(relayWhole, new Set(['image_edit.completed'])),
}

export const imageVariation: ModelCall = {
  endpoint: 'images/variations',
  read: readFormRequest,
  asksUsage: false,
  relay: relayWhole,
}

function checkPrompt({ prompt }: Fields): void {
  if (typeof prompt !== 'string' || prompt === '') throw invalidBody('prompt', '"prompt" must be a string.')
}
