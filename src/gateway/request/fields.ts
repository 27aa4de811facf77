/** The fields of a JSON body, and the error for one that is invalid. */
import { ApiError } from '#errors/api-error.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The error for an invalid field; `param` is its dotted path. */
export function invalidBody(param: string | null, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}
