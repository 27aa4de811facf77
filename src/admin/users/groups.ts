/** Routes of groups. The group of everyone always exists, keeps its name, and has no list of members. */
import { instant, instantOf, pageAnswer, pageOnWire, pageQuery } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import { everyoneGroupId, permissions, type Caller, type Group } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { etag, versionOf } from '../record-version.ts'
import { requireEditable, requireFound, label, text } from '../fields.ts'
import { userAnswer, userPageOnWire } from './user-record.ts'

const permissionList = z
  .array(z.enum(permissions))
  .describe(
    'What members may do: `documents.share` = name other users, other groups and everyone as owners of documents',
  )

const groupAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    permissions: permissionList,
    declared: z.boolean().describe('Read-only here, because the configuration file has it'),
    created_at: instant,
    etag,
  })
  .meta({ id: 'Group' })

const creation = z
  .strictObject({ name: label, description: text.default(''), permissions: permissionList.default([]) })
  .meta({ id: 'GroupCreation' })
const change = z
  .strictObject({ name: label.optional(), description: text.optional(), permissions: permissionList.optional() })
  .meta({ id: 'GroupChange' })

export function groupRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Groups')
  return [
    route({
      method: 'GET',
      path: '/groups',
      access: 'admin',
      summary: 'List groups',
      query: pageQuery,
      answer: pageAnswer(groupAnswer),
      errors: ['invalid_cursor'],
      handle: async ({ query }) => pageOnWire(await admin.store.groups.list(query), groupOnWire),
    }),
    route({
      method: 'POST',
      path: '/groups',
      access: 'admin',
      summary: 'Create a group',
      body: creation,
      answer: groupAnswer,
      status: 201,
      errors: ['conflict'],
      async handle({ body }) {
        const group: Group = { id: crypto.randomUUID(), ...body, declared: false, createdAt: admin.clock.now() }
        await admin.store.groups.insert(group)
        await admin.feed.publish([{ kind: 'directory' }])
        return groupOnWire(group)
      },
    }),
    route({
      method: 'GET',
      path: '/groups/:id/members',
      access: 'admin',
      summary: 'List the users that were added to a group',
      description: 'For the group everyone: all users.',
      query: pageQuery,
      answer: pageAnswer(userAnswer),
      errors: ['invalid_cursor'],
      async handle({ params, query }) {
        const { users, groups } = admin.store
        const group = requireFound(await groups.get(params.id), 'group')
        const page = group.id === everyoneGroupId ? await users.list(query) : await groups.members(group.id, query)
        return userPageOnWire(admin, page)
      },
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Groups')
  const { store, feed } = admin
  const current = async ({ params }: { readonly params: { readonly id: string } }) =>
    groupOnWire(requireFound(await store.groups.get(params.id), 'group'))
  return [
    route({
      method: 'GET',
      path: '/groups/:id',
      access: 'admin',
      summary: 'One group',
      answer: groupAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/groups/:id',
      access: 'admin',
      summary: 'Change a group',
      body: change,
      answer: groupAnswer,
      errors: ['conflict', 'declared_read_only'],
      current,
      async handle({ params, body, unchanged }) {
        const group = requireEditable(requireFound(await store.groups.get(params.id), 'group'))
        if (body.name !== undefined && body.name !== group.name) requireOrdinary(group, 'renamed')
        const changed = requireFound(await store.groups.update(group.id, body, unchanged(groupVersion)), 'group')
        if (body.name !== undefined || body.permissions !== undefined) await feed.publish([{ kind: 'directory' }])
        return groupOnWire(changed)
      },
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id',
      access: 'admin',
      summary: 'Delete a group; its members lose what only it gave them',
      errors: ['conflict', 'declared_read_only'],
      current,
      async handle({ params, unchanged }) {
        const group = requireEditable(requireFound(await store.groups.get(params.id), 'group'))
        requireOrdinary(group, 'deleted')
        await store.groups.delete(group.id, unchanged(groupVersion))
        await feed.publish([{ kind: 'directory' }, { kind: 'catalog' }])
      },
    }),
  ]
}

function requireOrdinary({ id }: Group, done: string): void {
  if (id === everyoneGroupId) throw new ApiError('conflict', { message: `The group "everyone" cannot be ${done}.` })
}

function groupOnWire(group: Group): z.input<typeof groupAnswer> {
  const { id, name, description, declared, createdAt } = group
  return {
    id,
    name,
    description,
    permissions: [...group.permissions],
    declared,
    created_at: instantOf(createdAt),
    etag: groupVersion(group),
  }
}

function groupVersion({ name, description, permissions: granted }: Group): string {
  return versionOf({ name, description, permissions: granted.toSorted() })
}
