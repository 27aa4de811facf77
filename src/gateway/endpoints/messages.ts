/**
 * POST /ai/v1/messages, the wire format of Anthropic's clients: passed through byte for byte to
 * providers that have it, translated to a chat completion for all others.
 */
import { anthropicDialect } from '#dialects/anthropic/anthropic-dialect.ts'
import { errorBody } from '#dialects/anthropic/error-response.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { ModelCall } from './model-call.ts'
import { readModelRequest } from '../request/model-request.ts'
import { relayStream } from '../relay/relay-stream.ts'
import { relayWhole } from '../relay/relay-whole.ts'
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

/** The request's id under the name that Anthropic's clients read; every answer has `x-request-id`, too. */
export function addRequestIdHeader(context: RequestContext): void {
  context.addHeader('request-id', context.requestId)
}
