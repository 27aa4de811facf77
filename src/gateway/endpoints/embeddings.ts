/** POST /ai/v1/embeddings: texts as vectors. */
import { withBase64 } from '../embeddings/encoding-format.ts'
import type { ModelCall } from './model-call.ts'
import { invalidBody, type Fields } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import { readInputUsage } from '../usage/token-usage.ts'

export const embeddings: ModelCall = {
  endpoint: 'embeddings',
  read: (context, limits) =>
    readModelRequest(context, limits, {
      check: checkInput,
      finish: (request, fields) => ({ ...request, base64Vectors: fields['encoding_format'] === 'base64' }),
    }),
  asksUsage: false,
  batchable: true,
  relay: (reply, relay) => relayWhole(reply, relay, readInputUsage, relay.base64Vectors ? withBase64 : null),
}

function checkInput({ input }: Fields): void {
  if (typeof input !== 'string' && !(Array.isArray(input) && input.length > 0))
    throw invalidBody('input', '"input" must be a string or an array that is not empty.')
}
