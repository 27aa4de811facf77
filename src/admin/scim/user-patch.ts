/**
 * What a client writes of a user, as a whole or by the operations of a PATCH. Attributes that are not kept here (phone
 * numbers, departments, roles) are taken and forgotten, as services send all that they have.
 */
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import { matches, readPath, type ScimPath } from './filter.ts'

/** The part of a user that a client can change. */
export interface WrittenUser {
  readonly userName: string
  readonly email: string
  readonly displayName: string
  readonly givenName: string
  readonly familyName: string
  readonly externalId: string | null
  readonly active: boolean
}

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  /** Null: the value is an object of attributes. */
  readonly path: string | null
  readonly value: unknown
}

type Fields = Readonly<Record<string, unknown>>
type Change = Partial<{ -readonly [Name in keyof WrittenUser]: WrittenUser[Name] }>

const operationsMax = 1000
const ops: ReadonlySet<string> = new Set(['add', 'replace', 'remove'])

/** The operations of a PATCH body. Answers 400 by throwing. */
export function readOperations(body: Fields): readonly PatchOperation[] {
  const list = fieldOf(body, 'operations')
  if (!Array.isArray(list) || list.length === 0 || list.length > operationsMax)
    throw invalid('Operations', `must be a list of 1 to ${operationsMax} operations`)
  return list.map((each: unknown) => {
    if (!isObject(each)) throw invalid('Operations', 'must be a list of objects')
    // Entra writes "Replace".
    const op = String(fieldOf(each, 'op')).toLowerCase()
    const path = fieldOf(each, 'path') ?? null
    if (!ops.has(op)) throw invalid('op', 'must be add, replace or remove')
    if (path !== null && typeof path !== 'string') throw invalid('path', 'must be a text')
    if (op === 'remove' && (path === null || path === '')) throw invalid('path', 'is needed to remove something')
    return { op: op as PatchOperation['op'], path: path === '' ? null : path, value: fieldOf(each, 'value') }
  })
}

/** The user after the operations. Answers 400 by throwing. */
export function patchedUser(before: WrittenUser, operations: readonly PatchOperation[]): WrittenUser {
  return operations.reduce((user, { op, path, value }) => {
    const change =
      path !== null ? changeAt(readPath(path), op === 'remove' ? null : value, user) : changeOf(objectOf(value), user)
    return { ...user, ...change }
  }, before)
}

/** The user as a whole; what is left out is as `before` has it. Answers 400 by throwing. */
export function writtenUser(body: Fields, before: WrittenUser): WrittenUser {
  return { ...before, ...changeOf(body, before) }
}

/** Attributes by name, those of Entra with dots in their names too: `{"name.givenName": "Ada"}`. */
function changeOf(fields: Fields, user: WrittenUser): Change {
  const change: Change = {}
  for (const [name, value] of Object.entries(fields)) Object.assign(change, changeAt(readPath(name), value, user))
  // One address is enough where the name is an address, too.
  return change
}

const nothing: Change = {}

function changeAt({ attribute, filter, sub }: ScimPath, value: unknown, user: WrittenUser): Change {
  switch (attribute) {
    case 'username':
      return { userName: needed('userName', value) }
    case 'displayname':
      return { displayName: optional('displayName', value) }
    case 'externalid':
      return { externalId: value === null ? null : needed('externalId', value) }
    case 'active':
      return { active: activeOf(value) }
    case 'name':
      return sub === '' && isObject(value) ? nameOf(value) : nothing
    case 'name.formatted':
      return user.displayName === '' ? { displayName: optional('name.formatted', value) } : nothing
    case 'name.givenname':
      return { givenName: optional('name.givenName', value) }
    case 'name.familyname':
      return { familyName: optional('name.familyName', value) }
    case 'emails.value':
      return { email: needed('emails', value) }
    case 'emails':
      return emailChange({ filter, sub }, value, user)
    default:
      return nothing
  }
}

function nameOf(value: Fields): Change {
  const [given, family] = [fieldOf(value, 'givenname'), fieldOf(value, 'familyname')]
  return {
    ...(given !== undefined && { givenName: optional('name.givenName', given) }),
    ...(family !== undefined && { familyName: optional('name.familyName', family) }),
  }
}

/** One address is kept: the primary one, the one of work, or the first. */
function emailChange({ filter, sub }: Pick<ScimPath, 'filter' | 'sub'>, value: unknown, user: WrittenUser): Change {
  const own = { type: 'work', primary: true, value: user.email }
  if (filter !== null && !matches(filter, own)) return nothing
  if (sub === 'type' || sub === 'primary' || sub === 'display') return nothing
  if (value === null) throw invalid('emails', 'must keep an address')
  if (typeof value === 'string') return { email: value }
  const listed = (Array.isArray(value) ? value : [value]).filter(isObject)
  const chosen =
    listed.find((each) => fieldOf(each, 'primary') === true || fieldOf(each, 'primary') === 'true') ??
    listed.find((each) => fieldOf(each, 'type') === 'work') ??
    listed[0]
  return chosen === undefined ? nothing : { email: needed('emails', fieldOf(chosen, 'value')) }
}

/** Entra writes booleans as texts. */
function activeOf(value: unknown): boolean {
  const text = String(Array.isArray(value) ? value[0] : value).toLowerCase()
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalid('active', 'must be true or false')
}

function needed(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 200 || /\p{Cc}/u.test(value))
    throw invalid(name, 'must be a text of 1 to 200 characters')
  return value.trim()
}

function optional(name: string, value: unknown): string {
  return value === null || value === '' ? '' : needed(name, value)
}

function objectOf(value: unknown): Fields {
  if (isObject(value)) return value
  throw invalid('value', 'must be an object where there is no path')
}

/** A field by its name in any case. */
export function fieldOf(object: Fields, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1]
}

/** The refusal of a value; the sentence follows its name. */
export function invalid(name: string, sentence: string): ApiError {
  return new ApiError('invalid_body', { param: name, message: `"${name}" ${sentence}.` })
}
