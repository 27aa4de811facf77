/** The fields of a JSON body, and the error for one that is invalid. */
import { ApiError } from '#errors/api-error.ts'
import { unparsed } from '#http/body.ts'
import { parseBounded } from '#lib/bounded-json.ts'
import { isObject } from '#lib/json-value.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The body as a value, for endpoints that have to build it. Answers 400 or 413 by throwing. */
export function parseBody(bytes: Buffer): Record<string, unknown> {
  const body = parsed(bytes)
  if (!isObject(body)) throw invalidBody(null, 'The request body must be a JSON object.')
  return body
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseBounded(bytes)
  } catch (thrown) {
    throw unparsed(thrown)
  }
}

/** The error for an invalid field; `param` is its dotted path. */
export function invalidBody(param: string | null, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
