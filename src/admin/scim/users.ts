/**
 * Users by SCIM: all people of this server, also those made in the console. When a user is made inactive or deleted, the next request
 * with a session or a key of that user is refused.
 */
import { readEmail } from '#config/settings/formats.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller, User } from '#identity/records.ts'
import type { ScimUser, ScimUserFields } from '#store/identity/scim.ts'
import type { Admin } from '../admin.ts'
import { requireEditable, requireFound } from '../fields.ts'
import { readFilter } from './filter.ts'
import { listOf, listRange, shaped, userResource } from './resources.ts'
import { scimRoute, type ScimCall, type ScimEndpoint } from './scim-endpoint.ts'
import { invalid, patchedUser, readOperations, writtenUser, type WrittenUser } from './user-patch.ts'

const nobody: WrittenUser = {
  userName: '',
  email: '',
  displayName: '',
  givenName: '',
  familyName: '',
  externalId: null,
  active: true,
}

export function scimUserRoutes(admin: Admin): Route<Caller>[] {
  const one = { path: '/Users/:id' } as const
  const rows: readonly ScimEndpoint[] = [
    {
      method: 'GET',
      path: '/Users',
      operation: 'listScimUsers',
      summary: 'List and find people, in the order of their creation',
      handle: (call) => listUsers(admin, call),
    },
    {
      method: 'POST',
      path: '/Users',
      operation: 'createScimUser',
      summary: 'Create a user',
      status: 201,
      handle: (call) => createUser(admin, call),
    },
    {
      ...one,
      method: 'GET',
      operation: 'getScimUser',
      summary: 'One user',
      handle: (call) => readUser(admin, call),
    },
    {
      ...one,
      method: 'PUT',
      operation: 'replaceScimUser',
      summary: 'Write a user',
      handle: (call) => changeUser(admin, call, (before) => writtenUser(call.body, { ...before, ...leftOut(before) })),
    },
    {
      ...one,
      method: 'PATCH',
      operation: 'changeScimUser',
      summary: 'Change a user by operations; `active: false` refuses all keys and sessions at once',
      handle: (call) => changeUser(admin, call, (before) => patchedUser(before, readOperations(call.body))),
    },
    {
      ...one,
      method: 'DELETE',
      operation: 'deleteScimUser',
      summary: 'Delete a user with all keys',
      status: 204,
      handle: (call) => deleteUser(admin, call),
    },
  ]
  return rows.map((row) => scimRoute(admin, row))
}

/** A PUT that leaves them out takes them away. */
function leftOut({ active }: WrittenUser): Partial<WrittenUser> {
  return { displayName: '', givenName: '', familyName: '', externalId: null, active }
}

async function listUsers({ store }: Admin, { query, base }: ScimCall) {
  const written = query.get('filter')
  const filter = written === null ? null : readFilter(written)
  const range = listRange(query)
  const { total, items } = await store.scim.users({ filter, offset: range.startIndex - 1, limit: range.count })
  return listOf({ total, items: items.map((user) => shaped(userResource(user, base), query)) }, range)
}

async function readUser(admin: Admin, { id, query, base }: ScimCall) {
  return shaped(userResource(await found(admin, id), base), query)
}

async function createUser(admin: Admin, { body, base }: ScimCall) {
  const { store, feed, clock } = admin
  const written = complete(writtenUser(body, nobody))
  const user: User = {
    id: crypto.randomUUID(),
    email: written.email,
    name: nameOf(written),
    role: 'user',
    kind: 'person',
    disabled: !written.active,
    hasPassword: false,
    declared: false,
    createdAt: clock.now(),
  }
  await store.scim.insertUser(user, fieldsOf(written))
  await feed.publish([{ kind: 'user', id: user.id }])
  return userResource(await found(admin, user.id), base)
}

/** Writes only what the request changes: a change of something else at the same moment stays. */
async function changeUser(admin: Admin, { id, base }: ScimCall, change: (before: WrittenUser) => WrittenUser) {
  const { store, feed, clock } = admin
  const user = await found(admin, id)
  requireEditable(user.user)
  const before = writtenOf(user)
  const written = complete(change(before))
  const patch = changedFields(recordOf(before), recordOf(written))
  requireFound(await store.users.update(id, patch, clock.now(), { keepAdministrator: true }), 'user')
  if (patch.disabled === true) await store.sessions.deleteOfUser(id)
  // Published before the rest: who is made inactive is refused even if the names cannot be written.
  await feed.publish([{ kind: 'user', id }])
  const fields = fieldsOf(written)
  await store.scim.putUserFields(id, fields, changedFields(fieldsOf(before), fields))
  return userResource(await found(admin, id), base)
}

function recordOf(written: WrittenUser) {
  return { email: written.email, name: nameOf(written), disabled: !written.active }
}

function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const keys = Object.keys(after) as (keyof T)[]
  return Object.fromEntries(
    keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]),
  ) as Partial<T>
}

async function deleteUser(admin: Admin, { id }: ScimCall): Promise<null> {
  const { store, feed } = admin
  requireEditable((await found(admin, id)).user)
  await store.users.delete(id, { keepAdministrator: true })
  await feed.publish([{ kind: 'user', id }])
  return null
}

async function found({ store }: Admin, id: string): Promise<ScimUser> {
  return requireFound(await store.scim.user(id), 'user')
}

function writtenOf({ user, userName, givenName, familyName, externalId }: ScimUser): WrittenUser {
  const { email, name: displayName, disabled } = user
  return { userName, email, displayName, givenName, familyName, externalId, active: !disabled }
}

/** With an address, which may be the name itself. Answers 400 by throwing. */
function complete(written: WrittenUser): WrittenUser {
  if (written.userName === '') throw invalid('userName', 'is required')
  const email = readEmail(written.email === '' ? written.userName : written.email)
  if (email === null || /\p{Cc}/u.test(email))
    throw new ApiError('invalid_body', {
      param: 'emails',
      message: 'A user needs an e-mail address: in "emails", or as "userName".',
    })
  return { ...written, email }
}

function nameOf({ displayName, givenName, familyName }: WrittenUser): string {
  const whole = [givenName, familyName].filter((part) => part !== '').join(' ')
  return (displayName === '' ? whole : displayName).slice(0, 200).toWellFormed().trim()
}

function fieldsOf({ userName, externalId, givenName, familyName }: WrittenUser): ScimUserFields {
  return { userName, externalId, givenName, familyName }
}
