/**
 * Checks what a client sent against a schema and words the first fault. No message repeats the value,
 * which may be a password.
 */
import type { z } from 'zod'
import { ApiError } from '#errors/api-error.ts'
import { faultSentence, firstFault } from '#lib/schema-fault.ts'

/** A well-formed body as the schema has it. Answers 422 with the path of the first fault. */
export function validBody<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { param, message } = firstFault(result.error)
  throw new ApiError('validation_failed', { param, message: faultSentence({ param, message }, 'The body') })
}

/** The query as the schema has it. Answers 400 for a value, an unknown name, or a name that comes twice. */
export function validQuery<S extends z.ZodObject>(schema: S, query: URLSearchParams): z.output<S> {
  const values: Record<string, string> = {}
  for (const [name, value] of query) {
    if (name in values)
      throw new ApiError('invalid_query_parameter', { param: name, message: `"${name}" is given more than once.` })
    values[name] = value
  }
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const { param, message } = firstFault(result.error)
  throw new ApiError('invalid_query_parameter', { param, message: `"${param ?? ''}": ${message}.` })
}
