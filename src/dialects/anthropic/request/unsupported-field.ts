/**
 * Refusals of a Messages request. A field that is not translated is refused,
 * so that nothing the caller wrote gets lost.
 */
import type { ApiError } from '#errors/api-error.ts'
import { invalidField, pathOf, type RefusalWording, type RequestObject } from '../../request-fields.ts'

/** The sentences of Messages refusals. */
export const wording: RefusalWording = {
  missingString: 'is required and must be a string.',
  notArrayOf: () => 'must be an array.',
  notInteger: (min) => `must be a whole number of at least ${min}.`,
  notOneOf: (values) => `must be one of ${values.join(', ')}.`,
}

/** The refusal of a field that a chat completion cannot express. */
export function unsupportedField(path: string, sentence: string): ApiError {
  return invalidField(path, `cannot be used through this gateway: ${sentence}`)
}

/** Refuses a field that is not among these and holds more than null or an empty array. */
export function refuseUnknownFields(object: RequestObject, known: readonly string[]): void {
  for (const [name, value] of Object.entries(object.fields)) {
    if (known.includes(name) || value === null || value === undefined) continue
    if (Array.isArray(value) && value.length === 0) continue
    throw unsupportedField(pathOf(object, name), 'it does not know this field.')
  }
}
