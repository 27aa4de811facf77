/** POST /ai/v1/completions: a text continued, whole or streamed. */
import type { ModelCall } from './model-call.ts'
import { invalidBody, type Fields } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayAsRequested } from '../relay/relay-answer.ts'

export const completion: ModelCall = {
  endpoint: 'completions',
  read: (context, limits) => readModelRequest(context, limits, { check: checkPrompt }),
  asksUsage: true,
  relay: relayAsRequested,
}

/** Text, texts, or tokens; left out it is the beginning of a new document. */
function checkPrompt({ prompt }: Fields): void {
  if (prompt !== undefined && prompt !== null && typeof prompt !== 'string' && !Array.isArray(prompt))
    throw invalidBody('prompt', '"prompt" must be a string or an array.')
}
