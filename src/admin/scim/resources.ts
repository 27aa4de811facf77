/** Users, groups and lists of them as SCIM writes them (RFC 7643). */
import { instantOf } from '#http/page.ts'
import type { ScimGroup, ScimList, ScimReference, ScimUser } from '#store/identity/scim.ts'
import { versionOf } from '../record-version.ts'
import { invalid } from './user-patch.ts'

type Fields = Readonly<Record<string, unknown>>

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Resources of one page at most, also when more are asked for. */
export const pageMax = 200

export function userResource(found: ScimUser, base: string): Fields {
  const { user, userName, externalId, givenName, familyName, groups, updatedAt } = found
  const formatted = user.name === '' ? [givenName, familyName].filter((part) => part !== '').join(' ') : user.name
  const fields = {
    ...(externalId !== null && { externalId }),
    userName,
    name: { formatted, givenName, familyName },
    displayName: formatted,
    active: !user.disabled,
    emails: [{ value: user.email, type: 'work', primary: true }],
    groups: groups.map((group) => reference(group, `${base}/Groups`)),
  }
  const times = { created: instantOf(user.createdAt), lastModified: instantOf(updatedAt) }
  return resourceOf(userSchema, user.id, fields, {
    resourceType: 'User',
    ...times,
    location: `${base}/Users/${user.id}`,
  })
}

export function groupResource({ group, externalId, members }: ScimGroup, base: string): Fields {
  const fields = {
    ...(externalId !== null && { externalId }),
    displayName: group.name,
    ...(members !== null && { members: members.map((member) => reference(member, `${base}/Users`)) }),
  }
  const created = instantOf(group.createdAt)
  const meta = { resourceType: 'Group', created, lastModified: created, location: `${base}/Groups/${group.id}` }
  return resourceOf(groupSchema, group.id, fields, meta)
}

function resourceOf(schema: string, id: string, fields: Fields, meta: Fields): Fields {
  return { schemas: [schema], id, ...fields, meta: { ...meta, version: `W/${versionOf(fields)}` } }
}

function reference({ id, display }: ScimReference, base: string): Fields {
  return { value: id, display, $ref: `${base}/${id}` }
}

/** Which part of a list is asked for. The first one is 1. */
export interface ListRange {
  readonly startIndex: number
  readonly count: number
}

/** Answers 400 by throwing for what is not a number; numbers out of range are brought into it, as RFC 7644 wants. */
export function listRange(query: URLSearchParams): ListRange {
  return {
    startIndex: Math.max(1, wholeNumber(query, 'startIndex') ?? 1),
    count: Math.min(pageMax, Math.max(0, wholeNumber(query, 'count') ?? pageMax)),
  }
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const written = query.get(name)
  if (written === null || written === '') return null
  if (!/^-?\d{1,15}$/.test(written)) throw invalid(name, 'must be a whole number')
  return Number(written)
}

export function listOf(list: ScimList<Fields>, { startIndex }: ListRange): Fields {
  const { total, items } = list
  return { schemas: [listSchema], totalResults: total, startIndex, itemsPerPage: items.length, Resources: items }
}

/** Which attributes are asked for: by `attributes`, or all but those of `excludedAttributes`. Some are always there. */
export function shaped(resource: Fields, query: URLSearchParams): Fields {
  const [wanted, unwanted] = [namesIn(query, 'attributes'), namesIn(query, 'excludedAttributes')]
  if (wanted.size + unwanted.size === 0) return resource
  const isShown = (name: string): boolean => {
    const lower = name.toLowerCase()
    if (['schemas', 'id', 'meta'].includes(lower)) return true
    return wanted.size > 0 ? wanted.has(lower) : !unwanted.has(lower)
  }
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)))
}

/** Whether the members of a group are asked for: reading them can be much work. */
export function wantsMembers(query: URLSearchParams): boolean {
  const wanted = namesIn(query, 'attributes')
  return !namesIn(query, 'excludedAttributes').has('members') && (wanted.size === 0 || wanted.has('members'))
}

/** Whole attributes: `name.givenName` is `name`. */
function namesIn(query: URLSearchParams, parameter: string): ReadonlySet<string> {
  const names = (query.get(parameter) ?? '').split(',').map((name) => name.trim().toLowerCase())
  const bare = names.map((name) => name.replace(/^urn:[\w.:-]+:/, '').replace(/\..*$/, ''))
  return new Set(bare.filter((name) => name !== ''))
}
