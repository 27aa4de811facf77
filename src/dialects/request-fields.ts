/**
 * Reads the fields of a request body one by one. Null equals absent, as in the APIs themselves. A value
 * of the wrong type is refused with the dotted path of its field, in the words of the dialect.
 */
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import type { JsonObject } from './dialect.ts'

/** The sentences in which dialects differ. Each follows the quoted path of a field. */
export interface RefusalWording {
  readonly missingString: string
  readonly notArrayOf: (entries: 'objects' | 'strings') => string
  readonly notInteger: (min: number) => string
  readonly notOneOf: (values: readonly string[], value: unknown) => string
}

/** An object of a request body, and where it stands. */
export interface RequestObject {
  readonly fields: JsonObject
  /** Dotted; the empty string is the body itself. */
  readonly path: string
  readonly wording: RefusalWording
}

/** The body itself. */
export function requestBody(fields: JsonObject, wording: RefusalWording): RequestObject {
  return { fields, path: '', wording }
}

/** The dotted path of a field. */
export function pathOf({ path }: RequestObject, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`
}

/** The refusal of a field; the sentence follows its quoted path. */
export function invalidField(path: string, sentence: string): ApiError {
  return new ApiError('invalid_body', { param: path, message: `"${path}" ${sentence}` })
}

/** A string, or undefined when absent. */
export function readString(object: RequestObject, name: string): string | undefined {
  const value = valueOf(object, name)
  if (value === undefined || typeof value === 'string') return value
  throw invalidField(pathOf(object, name), 'must be a string.')
}

/** A string; refuses its absence. */
export function requireString(object: RequestObject, name: string): string {
  const value = readString(object, name)
  if (value !== undefined) return value
  throw invalidField(pathOf(object, name), object.wording.missingString)
}

/** One of these strings, or undefined when absent. */
export function readEnum<Value extends string>(
  object: RequestObject,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = valueOf(object, name)
  const known = values.find((each) => each === value)
  if (value === undefined || known !== undefined) return known
  throw invalidField(pathOf(object, name), object.wording.notOneOf(values, value))
}

/** A number, or undefined when absent. */
export function readNumber(object: RequestObject, name: string): number | undefined {
  const value = valueOf(object, name)
  if (value === undefined || typeof value === 'number') return value
  throw invalidField(pathOf(object, name), 'must be a number.')
}

/** An integer of at least `min`, or undefined when absent. */
export function readInteger(object: RequestObject, name: string, min: number): number | undefined {
  const value = readNumber(object, name)
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return value
  throw invalidField(pathOf(object, name), object.wording.notInteger(min))
}

/** True, false, or undefined when absent. */
export function readBoolean(object: RequestObject, name: string): boolean | undefined {
  const value = valueOf(object, name)
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidField(pathOf(object, name), 'must be true or false.')
}

/** An object, or undefined when absent. */
export function readObject(object: RequestObject, name: string): RequestObject | undefined {
  return valueOf(object, name) === undefined ? undefined : requireObject(object, name)
}

/** An object; refuses its absence. */
export function requireObject(object: RequestObject, name: string): RequestObject {
  return objectAt(object, object.fields[name], pathOf(object, name))
}

/** The objects of an array; none when it is absent. */
export function readObjects(object: RequestObject, name: string): readonly RequestObject[] {
  const path = pathOf(object, name)
  return readArray(object, name, 'objects').map((entry, index) => objectAt(object, entry, `${path}.${index}`))
}

/** The strings of an array; none when it is absent. */
export function readStrings(object: RequestObject, name: string): readonly string[] {
  const path = pathOf(object, name)
  return readArray(object, name, 'strings').map((entry, index) => {
    if (typeof entry === 'string') return entry
    throw invalidField(`${path}.${index}`, 'must be a string.')
  })
}

/** The fields with a value. */
export function defined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function objectAt({ wording }: RequestObject, value: unknown, path: string): RequestObject {
  if (isObject(value)) return { fields: value, path, wording }
  throw invalidField(path, 'must be an object.')
}

function readArray(object: RequestObject, name: string, entries: 'objects' | 'strings'): readonly unknown[] {
  const value = valueOf(object, name) ?? []
  if (Array.isArray(value)) return value
  throw invalidField(pathOf(object, name), object.wording.notArrayOf(entries))
}

function valueOf({ fields }: RequestObject, name: string): unknown {
  return fields[name] ?? undefined
}
