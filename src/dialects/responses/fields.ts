/**
 * Reading fields of a parsed JSON body. Null equals absent everywhere, as in the API itself; a
 * value of the wrong type is refused with its dotted path.
 */
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'

export type Json = Readonly<Record<string, unknown>>

/** An object of the body and where it stands; the path of the body itself is empty. */
export interface Place {
  readonly object: Json
  readonly path: string
}

/** The error for a field that is malformed or cannot be translated. */
export function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_body', { param, message })
}

/** The dotted path of a field of this object. */
export function pathOf({ path }: Place, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`
}

/** A string, or undefined when absent. */
export function readString(place: Place, name: string): string | undefined {
  const value = place.object[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw wrongType(place, name, 'a string')
}

/** A string that has to be there. */
export function needString(place: Place, name: string): string {
  return readString(place, name) ?? refuseMissing(place, name, 'a string')
}

/** A finite number, or undefined when absent. */
export function readNumber(place: Place, name: string): number | undefined {
  const value = place.object[name] ?? undefined
  if (value === undefined || typeof value === 'number') return value
  throw wrongType(place, name, 'a number')
}

/** An integer of at least `min`, or undefined when absent. */
export function readInteger(place: Place, name: string, min: number): number | undefined {
  const value = readNumber(place, name)
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return value
  throw wrongType(place, name, `an integer of at least ${min}`)
}

/** True, false, or undefined when absent. */
export function readBoolean(place: Place, name: string): boolean | undefined {
  const value = place.object[name] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw wrongType(place, name, 'true or false')
}

/** One of the listed words, or undefined when absent. */
export function readWord<Word extends string>(place: Place, name: string, words: readonly Word[]): Word | undefined {
  const value = readString(place, name)
  if (value === undefined) return undefined
  const word = words.find((known) => known === value)
  if (word !== undefined) return word
  throw wrongType(place, name, `one of ${words.map((known) => `"${known}"`).join(', ')}`)
}

/** An object with its place, or undefined when absent. */
export function readObject(place: Place, name: string): Place | undefined {
  const value = place.object[name] ?? undefined
  if (value === undefined) return undefined
  if (isObject(value)) return { object: value, path: pathOf(place, name) }
  throw wrongType(place, name, 'an object')
}

/** The objects of an array with their places, or undefined when absent. */
export function readObjects(place: Place, name: string): readonly Place[] | undefined {
  const value = place.object[name] ?? undefined
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw wrongType(place, name, 'an array of objects')
  const path = pathOf(place, name)
  return value.map((entry: unknown, index) => {
    if (isObject(entry)) return { object: entry, path: `${path}.${index}` }
    throw invalid(`${path}.${index}`, `"${path}.${index}" must be an object.`)
  })
}

/** The fields that are set and not among the known ones: they travel on as they are. */
export function otherFields({ object }: Place, known: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => !known.has(name) && value !== null))
}

/** Refuses the fields that no chat completion can express. Null and false say nothing, so they pass. */
export function refuseFields(place: Place, names: Iterable<string>): void {
  for (const name of names) {
    const value = place.object[name] ?? false
    if (value !== false) throw notTranslatable(pathOf(place, name))
  }
}

/** The error for a field that the provider of a translated answer cannot be asked for. */
export function notTranslatable(param: string, hint = 'Leave it out.'): ApiError {
  return invalid(param, `"${param}" is not supported: this API is translated to chat completions. ${hint}`)
}

/** The fields with a value. */
export function defined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function wrongType(place: Place, name: string, wanted: string): ApiError {
  const path = pathOf(place, name)
  return invalid(path, `"${path}" must be ${wanted}.`)
}

function refuseMissing(place: Place, name: string, wanted: string): never {
  throw wrongType(place, name, wanted)
}
