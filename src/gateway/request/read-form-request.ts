/** The body of an endpoint that takes files: a form with the field `model`. */
import { Buffer } from 'node:buffer'
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { FormBody } from './form-body.ts'
import type { ModelRequest } from './model-request.ts'
import { formSize } from './request-size.ts'

const nothing = Buffer.alloc(0)

/**
 * Reads the body as far as the model's name. Answers 400, 408, 413 or 415 by throwing. The field
 * that asks for a stream may not have come yet, so the answer decides how it is relayed.
 */
export async function readFormRequest(context: RequestContext, limits: BodyLimits): Promise<ModelRequest> {
  const form = await FormBody.open(context, limits)
  return {
    bytes: nothing,
    form,
    model: context.params['deployment'] ?? form.model,
    modelDefaulted: false,
    translated: false,
    streamed: false,
    flex: false,
    cacheKey: null,
    wantsUsage: false,
    base64Vectors: false,
    documents: null,
    outputTokensMax: null,
    effort: null,
    effortField: 'reasoning_effort',
    state: null,
    size: formSize,
    spans: [],
  }
}
