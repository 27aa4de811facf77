/**
 * Reads the fields of a request one by one. Every refusal names the field as a dotted path. Null
 * equals absent. A field that nobody reads is refused, so that nothing the caller wrote gets lost.
 */
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'

/** An object of the request, and where it is. */
export interface Place {
  readonly fields: Readonly<Record<string, unknown>>
  /** Dotted; the empty string is the body itself. */
  readonly path: string
}

/** The path of a field. */
export function pathOf(place: Place, name: string | number): string {
  return place.path === '' ? String(name) : `${place.path}.${name}`
}

/** A refusal of what is malformed; the sentence follows the field's name. */
export function malformed(path: string, sentence: string): ApiError {
  const subject = path === '' ? 'The request body' : `"${path}"`
  return new ApiError('invalid_body', { param: path === '' ? null : path, message: `${subject} ${sentence}` })
}

/** A refusal of what this gateway has no way to say to the model. */
export function untranslatable(path: string, sentence: string): ApiError {
  return malformed(path, `cannot be used through this gateway: ${sentence}`)
}

/** A value as an object. */
export function placeAt(value: unknown, path: string): Place {
  if (!isObject(value)) throw malformed(path, 'must be an object.')
  return { fields: value, path }
}

/** Refuses what has a name that is not among these and a value that says something. */
export function refuseUnknown(place: Place, known: readonly string[]): void {
  for (const [name, value] of Object.entries(place.fields)) {
    if (known.includes(name) || value === null || value === undefined) continue
    if (Array.isArray(value) && value.length === 0) continue
    throw untranslatable(pathOf(place, name), 'it does not know this field.')
  }
}

/** A string that must be there. */
export function text(place: Place, name: string): string {
  const value = optionalText(place, name)
  if (value === undefined) throw malformed(pathOf(place, name), 'is required and must be a string.')
  return value
}

export function optionalText(place: Place, name: string): string | undefined {
  const value = valueOf(place, name)
  if (value !== undefined && typeof value !== 'string') throw malformed(pathOf(place, name), 'must be a string.')
  return value
}

/** One of these words. */
export function optionalWord<W extends string>(place: Place, name: string, words: readonly W[]): W | undefined {
  const value = valueOf(place, name)
  if (value === undefined) return undefined
  const word = words.find((each) => each === value)
  if (word === undefined) throw malformed(pathOf(place, name), `must be one of ${words.join(', ')}.`)
  return word
}

export function optionalNumber(place: Place, name: string): number | undefined {
  const value = valueOf(place, name)
  if (value !== undefined && typeof value !== 'number') throw malformed(pathOf(place, name), 'must be a number.')
  return value
}

/** A whole number of at least `min`. */
export function optionalCount(place: Place, name: string, min: number): number | undefined {
  const value = optionalNumber(place, name)
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= min)) {
    throw malformed(pathOf(place, name), `must be a whole number of at least ${min}.`)
  }
  return value
}

export function optionalFlag(place: Place, name: string): boolean | undefined {
  const value = valueOf(place, name)
  if (value !== undefined && typeof value !== 'boolean') throw malformed(pathOf(place, name), 'must be true or false.')
  return value
}

export function optionalPlace(place: Place, name: string): Place | undefined {
  const value = valueOf(place, name)
  return value === undefined ? undefined : placeAt(value, pathOf(place, name))
}

/** An object that must be there. */
export function requiredPlace(place: Place, name: string): Place {
  return placeAt(place.fields[name], pathOf(place, name))
}

/** The objects of an array; none when it is absent. */
export function places(place: Place, name: string): readonly Place[] {
  return list(place, name).map((value, index) => placeAt(value, `${pathOf(place, name)}.${index}`))
}

/** The strings of an array; none when it is absent. */
export function texts(place: Place, name: string): readonly string[] {
  return list(place, name).map((value, index) => {
    if (typeof value !== 'string') throw malformed(`${pathOf(place, name)}.${index}`, 'must be a string.')
    return value
  })
}

/** The entries without those that are undefined. */
export function defined(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))
}

function list(place: Place, name: string): readonly unknown[] {
  const value = valueOf(place, name) ?? []
  if (!Array.isArray(value)) throw malformed(pathOf(place, name), 'must be an array.')
  return value
}

function valueOf({ fields }: Place, name: string): unknown {
  return fields[name] ?? undefined
}
