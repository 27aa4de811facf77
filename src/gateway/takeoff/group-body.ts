/** A body of the Takeoff client that names a consumer group. */
import { z } from '#lib/schema.ts'
import { readJson, type BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { validBody } from '#http/validate.ts'
import { passedJsonLimits } from '#lib/bounded-json.ts'

/** The field `consumer_group`. */
export const group = z.string().min(1).nullish()

/** The body by its schema, and its length. Answers 400, 408, 413, 415 or 422 by throwing. */
export async function readGroupBody<S extends z.ZodType>(
  context: RequestContext,
  limits: BodyLimits,
  schema: S,
): Promise<{ readonly body: z.output<S>; readonly length: number }> {
  const { value, bytes } = await readJson(context, { ...limits, json: passedJsonLimits })
  return { body: validBody(schema, value), length: bytes.length }
}
