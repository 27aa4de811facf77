/**
 * Refusals of a Responses request. A field of this API is translated or
 * refused; a field that this API does not have is passed on as it is.
 */
import type { ApiError } from '#errors/api-error.ts'
import type { JsonObject } from '../../dialect.ts'
import { invalidField, pathOf, type RefusalWording, type RequestObject } from '../../request-fields.ts'

/** The sentences of Responses refusals. */
export const wording: RefusalWording = {
  missingString: 'must be a string.',
  notArrayOf: (entries) => `must be an array of ${entries}.`,
  notInteger: (min) => `must be an integer of at least ${min}.`,
  notOneOf: (values, value) =>
    typeof value === 'string' ? `must be one of ${values.map((each) => `"${each}"`).join(', ')}.` : 'must be a string.',
}

/** The refusal of a field that a chat completion cannot express. */
export function unsupportedField(path: string, hint = 'Leave it out.'): ApiError {
  return invalidField(path, `is not supported: this API is translated to chat completions. ${hint}`)
}

/** Refuses these fields where they hold more than null or false. */
export function refuseUnsupportedFields(object: RequestObject, names: Iterable<string>): void {
  for (const name of names) {
    const value = object.fields[name] ?? false
    if (value !== false) throw unsupportedField(pathOf(object, name))
  }
}

/** The fields that are set and not among the known ones: they are passed on as they are. */
export function extraFields({ fields }: RequestObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !known.has(name) && value !== null))
}
