/**
 * POST /ai/v1/messages, the wire format of Anthropic's clients: passed through byte for byte to
 * providers that have it, translated to a chat completion for all others.
 */
import { anthropicDialect } from '#dialects/anthropic/anthropic-dialect.ts'
import { countTokens } from '#dialects/anthropic/count-tokens.ts'
import { errorBody } from '#dialects/anthropic/error-response.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import type { ModelCall } from './model-call.ts'
import { parseBody } from '../request/fields.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayStream } from '../relay/relay-stream.ts'
import { relayWhole } from '../relay/relay-whole.ts'
import type { AdmissionDeps } from '../admission/admit.ts'
import { resolveModel } from '../admission/resolve-model.ts'
import { translateToChat } from './translate-to-chat.ts'

const lastTypes = new Set(['message_stop'])

export const messages: ModelCall = {
  endpoint: 'messages',
  read: (context, limits) => {
    addRequestIdHeader(context)
    return readModelRequest(context, limits)
  },
  asksUsage: false,
  relay: (reply, relay) =>
    relay.streamed
      ? relayStream(reply, relay, {
          lastTypes,
          failureEvent: (error) => Buffer.from(`event: error\ndata: ${JSON.stringify(errorBody(error))}\n\n`),
        })
      : relayWhole(reply, relay),
  translate: (request, now) => translateToChat(anthropicDialect, request, { now }),
}

/** POST /ai/v1/messages/count_tokens: an estimate of the gateway, because most providers have no such endpoint. */
export async function countMessageTokens(
  { settings, catalog }: Pick<AdmissionDeps, 'settings' | 'catalog'>,
  context: RequestContext,
  caller: Caller,
): Promise<Response> {
  addRequestIdHeader(context)
  const request = await readModelRequest(context, {
    bytesMax: settings.get('server.max_body_bytes'),
    readSeconds: settings.get('server.body_read_seconds'),
  })
  resolveModel(catalog(), request.model, caller)
  const body = parseBody(request.bytes)
  return json({ input_tokens: await countTokens(body, caller.account.user.id) })
}

/** The request's id under the name that Anthropic's clients read; every answer has `x-request-id`, too. */
function addRequestIdHeader(context: RequestContext): void {
  context.addHeader('request-id', context.requestId)
}
