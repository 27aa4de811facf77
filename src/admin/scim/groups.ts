/** Groups by SCIM: every group of this server but that of everyone, with the people in it. */
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller, Group } from '#identity/records.ts'
import { isObject } from '#lib/json-value.ts'
import { Missing } from '#store/errors.ts'
import type { MemberChange, ScimGroup } from '#store/identity/scim.ts'
import type { Admin } from '../admin.ts'
import { label, requireEditable, requireFound } from '../fields.ts'
import { matches, readFilter, readPath } from './filter.ts'
import { groupResource, listOf, listRange, shaped, wantsMembers } from './resources.ts'
import { scimRoute, type ScimCall, type ScimEndpoint } from './scim-endpoint.ts'
import { fieldOf, invalid, readOperations, type PatchOperation } from './user-patch.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a request makes of a group. */
interface GroupChange {
  readonly displayName: string | undefined
  readonly externalId: string | null | undefined
  readonly members: MemberChange
}

const unchanged: GroupChange = {
  displayName: undefined,
  externalId: undefined,
  members: { replace: false, add: [], remove: [] },
}
/** Changes of more people than this have everybody read again. */
const namedMax = 50

export function scimGroupRoutes(admin: Admin): Route<Caller>[] {
  const one = { path: '/Groups/:id' } as const
  const rows: readonly ScimEndpoint[] = [
    {
      method: 'GET',
      path: '/Groups',
      operation: 'listScimGroups',
      summary: 'List and find groups, in the order of their creation',
      handle: (call) => listGroups(admin, call),
    },
    {
      method: 'POST',
      path: '/Groups',
      operation: 'createScimGroup',
      summary: 'Create a group',
      status: 201,
      handle: (call) => createGroup(admin, call),
    },
    {
      ...one,
      method: 'GET',
      operation: 'getScimGroup',
      summary: 'One group',
      async handle({ id, query, base }) {
        const group = await found(admin, id, wantsMembers(query))
        return shaped(groupResource(group, base), query)
      },
    },
    {
      ...one,
      method: 'PUT',
      operation: 'replaceScimGroup',
      summary: 'Write a group with all its members',
      async handle(call) {
        await changeGroup(admin, call.id, () => wholeGroup(call.body))
        return groupResource(await found(admin, call.id, true), call.base)
      },
    },
    {
      ...one,
      method: 'PATCH',
      operation: 'changeScimGroup',
      summary: 'Change a group and its members by operations',
      status: 204,
      async handle(call) {
        await changeGroup(admin, call.id, (before) => patchedGroup(before, readOperations(call.body)))
        return null
      },
    },
    {
      ...one,
      method: 'DELETE',
      operation: 'deleteScimGroup',
      summary: 'Delete a group; its members lose what only it gave them',
      status: 204,
      handle: (call) => deleteGroup(admin, call),
    },
  ]
  return rows.map((row) => scimRoute(admin, row))
}

async function listGroups({ store }: Admin, { query, base }: ScimCall) {
  const written = query.get('filter')
  const filter = written === null ? null : readFilter(written)
  const range = listRange(query)
  const asked = { filter, offset: range.startIndex - 1, limit: range.count }
  const { total, items } = await store.scim.groups(asked, wantsMembers(query))
  return listOf({ total, items: items.map((group) => shaped(groupResource(group, base), query)) }, range)
}

async function createGroup(admin: Admin, { body, base }: ScimCall) {
  const { store, feed, clock } = admin
  const { displayName, externalId = null, members } = wholeGroup(body)
  const fields = { description: '', permissions: [], declared: false }
  const group: Group = { id: crypto.randomUUID(), name: displayName ?? '', ...fields, createdAt: clock.now() }
  await knownMembers(() => store.scim.insertGroup(group, externalId, members.add))
  await feed.publish([{ kind: 'directory' }])
  return groupResource(await found(admin, group.id, true), base)
}

async function changeGroup(admin: Admin, id: string, change: (before: ScimGroup) => GroupChange): Promise<void> {
  const { store, feed } = admin
  const before = await found(admin, id, true)
  const { displayName, externalId, members } = change(before)
  if (displayName !== undefined && displayName !== before.group.name) {
    requireEditable(before.group)
    await store.groups.update(id, { name: displayName })
    await feed.publish([{ kind: 'directory' }])
  }
  if (externalId !== undefined) await store.scim.putGroupFields(id, externalId)
  const moved = await knownMembers(() => store.scim.changeMembers(id, members))
  if (moved.length > namedMax) await feed.publish([{ kind: 'directory' }])
  else if (moved.length > 0) await feed.publish(moved.map((userId) => ({ kind: 'user', id: userId })))
}

async function deleteGroup(admin: Admin, { id }: ScimCall): Promise<null> {
  const { store, feed } = admin
  requireEditable((await found(admin, id, false)).group)
  await store.groups.delete(id)
  await feed.publish([{ kind: 'directory' }, { kind: 'catalog' }])
  return null
}

async function found({ store }: Admin, id: string, withMembers: boolean): Promise<ScimGroup> {
  return requireFound(await store.scim.group(id, withMembers), 'group')
}

/** Answers 400 by throwing when a member is not a person of this server. */
async function knownMembers<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (thrown) {
    if (thrown instanceof Missing && thrown.what === 'member')
      throw invalid('members', 'names a user who does not exist')
    throw thrown
  }
}

function wholeGroup(body: Fields): GroupChange {
  return {
    displayName: nameOf(fieldOf(body, 'displayname')),
    externalId: externalIdOf(fieldOf(body, 'externalid') ?? null),
    members: { replace: true, add: memberIds(fieldOf(body, 'members') ?? []), remove: [] },
  }
}

function patchedGroup(before: ScimGroup, operations: readonly PatchOperation[]): GroupChange {
  return operations.reduce((change, operation) => {
    if (operation.path !== null) return changedAt(before, change, { ...operation, path: operation.path })
    if (!isObject(operation.value)) throw invalid('value', 'must be an object where there is no path')
    return Object.entries(operation.value).reduce(
      (sum, [path, value]) => changedAt(before, sum, { op: operation.op, path, value }),
      change,
    )
  }, unchanged)
}

type Located = PatchOperation & { readonly path: string }

function changedAt({ members: current }: ScimGroup, change: GroupChange, { op, path, value }: Located): GroupChange {
  const { attribute, filter } = readPath(path)
  if (attribute === 'displayname') return { ...change, displayName: nameOf(value) }
  if (attribute === 'externalid') return { ...change, externalId: externalIdOf(op === 'remove' ? null : value) }
  if (attribute !== 'members') return change
  const { replace, add, remove } = change.members
  if (op === 'replace') return { ...change, members: { replace: true, add: memberIds(value), remove: [] } }
  if (op === 'add') {
    const ids = memberIds(value)
    return { ...change, members: { replace, add: [...add, ...ids], remove: without(remove, ids) } }
  }
  const everybody = [...(replace ? [] : (current ?? []).map(({ id }) => id)), ...add]
  // Named by a filter, by a list, or all.
  const ids =
    filter !== null
      ? everybody.filter((id) => matches(filter, { value: id }))
      : value === undefined || value === null
        ? everybody
        : memberIds(value)
  return { ...change, members: { replace, add: without(add, ids), remove: [...remove, ...ids] } }
}

function without(ids: readonly string[], others: readonly string[]): readonly string[] {
  const gone = new Set(others)
  return ids.filter((id) => !gone.has(id))
}

function memberIds(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((member: unknown) => {
    const id = isObject(member) ? fieldOf(member, 'value') : member
    if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id))
      throw invalid('members', 'must be a list of {"value": id}')
    return id
  })
}

function nameOf(value: unknown): string {
  const { data } = label.safeParse(value)
  if (data !== undefined) return data
  throw invalid('displayName', 'must be a text of 1 to 200 characters on one line')
}

function externalIdOf(value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string' && value.length <= 200 && !/\p{Cc}/u.test(value)) return value
  throw new ApiError('invalid_body', {
    param: 'externalId',
    message: '"externalId" must be a text of at most 200 characters.',
  })
}
