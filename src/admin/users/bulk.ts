/** One change of many users. Each is changed as by its own address, and what is refused does not hold up the others. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { id, requireFound } from '../fields.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { changeUser, deleteUser } from './users.ts'

const usersMax = 1000

const change = z
  .strictObject({
    ids: z.array(id).min(1).max(usersMax),
    action: z.enum(['enable', 'disable', 'delete', 'join', 'leave']).describe('`join` and `leave` are of `group_id`'),
    group_id: id.optional(),
  })
  .refine(({ action, group_id: group }) => (group !== undefined) === (action === 'join' || action === 'leave'), {
    path: ['group_id'],
    error: 'expected a group with join and leave, and only there',
  })
  .meta({ id: 'UsersChange' })

const changeAnswer = z
  .strictObject({
    done: z.array(z.string()).describe('Ids'),
    refused: z.array(z.strictObject({ id: z.string(), message: z.string() })),
  })
  .meta({ id: 'UsersChangeResult' })

type Change = z.output<typeof change>

export function bulkUserRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Users')
  return [
    route({
      method: 'POST',
      path: '/users/bulk',
      access: 'admin',
      operation: 'changeUsers',
      summary: 'Enable, disable or delete several users, or change their groups',
      description: 'Each as at its own address. Users that cannot be changed so are named with the reason.',
      body: change,
      answer: changeAnswer,
      errors: ['conflict', 'not_found'],
      handle: ({ body }) => changeAll(admin, body),
    }),
  ]
}

async function changeAll(admin: Admin, { ids, ...how }: Change): Promise<z.input<typeof changeAnswer>> {
  if (how.group_id === everyoneGroupId)
    throw new ApiError('conflict', { message: 'Everyone is in the group "everyone"; its members cannot be changed.' })
  if (how.group_id !== undefined) requireFound(await admin.store.groups.get(how.group_id), 'group')
  const done: string[] = []
  const refused: { id: string; message: string }[] = []
  for (const userId of new Set(ids)) {
    try {
      await mapStoreErrors(() => changeOne(admin, userId, how))
      done.push(userId)
    } catch (thrown) {
      // A fault of the server ends it: what was done stays, and can be asked for again.
      if (!(thrown instanceof ApiError) || thrown.row.status >= 500) throw thrown
      refused.push({ id: userId, message: thrown.message })
    }
  }
  return { done, refused }
}

const always = (): undefined => undefined

async function changeOne(admin: Admin, userId: string, { action, group_id: groupId }: Omit<Change, 'ids'>) {
  const { store, feed } = admin
  switch (action) {
    case 'enable':
    case 'disable':
      await changeUser(admin, userId, { disabled: action === 'disable' }, always)
      return
    case 'delete':
      await deleteUser(admin, userId, always)
      return
    case 'join':
    case 'leave':
      requireFound(await store.users.get(userId), 'user')
      if (action === 'join') await store.groups.addMember(groupId ?? '', userId)
      else await store.groups.removeMember(groupId ?? '', userId)
      await feed.publish([{ kind: 'user', id: userId }])
  }
}
