/** The body of an endpoint that takes files: a form whose field `model` names who is to have it. */
import { Buffer } from 'node:buffer'
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { FormBody } from './form-body.ts'
import type { ModelRequest } from './model-request.ts'

const nothing = Buffer.alloc(0)

/**
 * Reads the body as far as the model's name. Answers 400, 408, 413 or 415 by throwing. Whether the
 * client asks for a stream stands in a field that may still be to come: the answer will tell.
 */
export async function readFormRequest(context: RequestContext, limits: BodyLimits): Promise<ModelRequest> {
  const form = await FormBody.open(context, limits)
  return {
    bytes: nothing,
    form,
    model: form.model,
    modelAssumed: false,
    translated: false,
    streamed: false,
    wantsUsage: false,
    documents: null,
    effort: null,
    effortField: 'reasoning_effort',
    state: null,
    spans: [],
  }
}
