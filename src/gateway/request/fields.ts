/** The fields of a JSON body, and the refusal of one of them. */
import { ApiError } from '#errors/api-error.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object with named fields. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The refusal of a field; `param` is its dotted path. */
export function invalidBody(param: string | null, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
