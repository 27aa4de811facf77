/** POST /ai/v1/messages/count_tokens: an estimate of the gateway, because most providers have no such endpoint. */
import { countTokens } from '#dialects/anthropic/count-tokens.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { resolveModel } from './admission/resolve-model.ts'
import { addRequestIdHeader } from './endpoints/messages.ts'
import type { Gateway } from './gateway.ts'
import { parseBody } from './request/fields.ts'
import { readModelRequest } from './request/model-request.ts'
import { bodyLimits, withFiles } from './serve-model-call.ts'

/** The count, with the files that the request names. Throws the ApiError to answer. */
export async function serveCountTokens(gateway: Gateway, context: RequestContext, caller: Caller): Promise<Response> {
  addRequestIdHeader(context)
  using held = new DisposableStack()
  const limits = bodyLimits(gateway, caller, held)
  const received = await readModelRequest(context, limits) // 400, 408, 413, 415, 503
  const model = resolveModel(gateway.catalog(), received.model, caller) // 400, 403, 404
  const request = await withFiles(gateway, received, { context, caller, model, endpoint: 'messages', limits }) // 404, 413, 503
  const tokens = await countTokens(parseBody(request.bytes), caller.account.user.id) // 400, 429
  return json({ input_tokens: tokens })
}
