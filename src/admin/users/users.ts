/**
 * Routes of users. When disabling or deleting a user has been answered, the next request with a
 * session or a key of that user is refused.
 */
import { pageAnswer, pageQuery } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import { hashPassword } from '#identity/password.ts'
import { everyoneGroupId, userKinds, type Caller, type User } from '#identity/records.ts'
import type { UserPatch } from '#store/identity/users.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import type { Unchanged } from '../record-version.ts'
import { requireEditable, email, id, requireFound, label, password } from '../fields.ts'
import { userOrders } from '#store/identity/user-list.ts'
import { listFilter, orderFrom } from '../list-query.ts'
import { timesOf, userAnswer, userOnWire, userPageOnWire, userVersion, type UserOnWire } from './user-record.ts'

const role = z.enum(['admin', 'user'])
const kind = z
  .enum(userKinds)
  .describe(
    '`service` = an account of a program: it has keys, groups, limits and usage as a user has, and cannot sign in',
  )
const displayName = label.or(z.literal(''))

const temporary = z
  .boolean()
  .default(true)
  .describe('The user has to choose another at the first sign-in; left out, that is so')

const creation = z
  .strictObject({
    email,
    name: displayName.default(''),
    role: role.default('user'),
    kind: kind.default('person'),
    password: password.optional().describe('Left out: the user cannot sign in, but keys work'),
    temporary: temporary,
    disabled: z.boolean().default(false),
  })
  .refine(({ kind: wanted, password: plain }) => wanted === 'person' || plain === undefined, {
    path: ['password'],
    error: 'a service account has none',
  })
  .meta({ id: 'UserCreation' })

const change = z
  .strictObject({
    email: email.optional(),
    name: displayName.optional(),
    role: role.optional(),
    kind: kind.optional(),
    disabled: z.boolean().optional(),
  })
  .meta({ id: 'UserChange' })

const newPassword = z
  .strictObject({
    password: password.nullable().describe('null removes it'),
    temporary: temporary,
  })
  .meta({ id: 'NewPassword' })

type Change = z.output<typeof change>

const tag = 'Users'

export function userRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin), ...passwordRoutes(admin), ...membershipRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'GET',
      path: '/users',
      access: 'admin',
      summary: 'List users',
      query: pageQuery.extend({
        email: z
          .string()
          .min(1)
          .max(254)
          .regex(/^\P{Cc}*$/u)
          .optional()
          .describe('Part of the e-mail address'),
        kind: kind.optional(),
        group_id: id.optional().describe('Only users who were added to this group'),
        ...listFilter(userOrders, 'Part of the e-mail address or the name'),
      }),
      answer: pageAnswer(userAnswer),
      errors: ['invalid_cursor'],
      report: true,
      async handle({ query: { email: emailContains, group_id: groupId, q: contains, sort, order, ...page } }) {
        const asked = { ...page, emailContains, contains, groupId, order: orderFrom(sort, order) }
        return userPageOnWire(admin, await admin.store.users.list(asked))
      },
    }),
    route({
      method: 'POST',
      path: '/users',
      access: 'admin',
      summary: 'Create a user',
      body: creation,
      answer: userAnswer,
      status: 201,
      errors: ['conflict'],
      handle: ({ body }) => createUser(admin, body),
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const current = ({ params }: { readonly params: { readonly id: string } }) => readUser(admin, params.id)
  return [
    route({
      method: 'GET',
      path: '/users/:id',
      access: 'admin',
      summary: 'One user',
      answer: userAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/users/:id',
      access: 'admin',
      summary: 'Change a user',
      description:
        'Disabling ends all sessions and refuses all keys of the user at once. Who becomes a service account loses the password and all sessions. The last enabled administrator who is a person stays one.',
      body: change,
      answer: userAnswer,
      errors: ['conflict', 'declared_read_only'],
      current,
      handle: ({ params, body, unchanged }) => changeUser(admin, params.id, body, unchanged),
    }),
    route({
      method: 'DELETE',
      path: '/users/:id',
      access: 'admin',
      summary: 'Delete a user with all keys and sessions',
      errors: ['conflict', 'declared_read_only'],
      current,
      handle: ({ params, unchanged }) => deleteUser(admin, params.id, unchanged),
    }),
  ]
}

function passwordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'POST',
      path: '/users/:id/password',
      access: 'admin',
      summary: "Set a user's password; all sessions of the user end",
      body: newPassword,
      errors: ['conflict'],
      async handle({ params, body, caller }) {
        const user = requireFound(await admin.store.users.get(params.id), 'user')
        if (user.kind === 'service')
          throw new ApiError('conflict', { message: 'A service account has no password and cannot sign in.' })
        const isOwn = caller.account.user.id === user.id
        await setPassword(admin, user.id, { plain: body.password, isTemporary: body.temporary && !isOwn })
      },
    }),
  ]
}

function membershipRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  return [
    route({
      method: 'PUT',
      path: '/users/:id/groups/:groupId',
      access: 'admin',
      summary: 'Make a user a member of a group',
      description:
        'Declared users and groups too: the members that the configuration file names are added again at the next start.',
      errors: ['conflict'],
      async handle({ params }) {
        const user = await readMembership(admin, params)
        await admin.store.groups.addMember(params.groupId, user.id)
        await admin.feed.publish([{ kind: 'user', id: user.id }])
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/:id/groups/:groupId',
      access: 'admin',
      summary: 'End a membership; there may have been none',
      errors: ['conflict'],
      async handle({ params }) {
        const user = await readMembership(admin, params)
        await admin.store.groups.removeMember(params.groupId, user.id)
        await admin.feed.publish([{ kind: 'user', id: user.id }])
      },
    }),
  ]
}

export interface NewPassword {
  /** Null: none. */
  readonly plain: string | null
  readonly isTemporary: boolean
}

/** Stores a new password, ends the sessions that were begun with the old one, and withdraws the user's invitation. */
export async function setPassword(
  { store, feed, clock }: Admin,
  userId: string,
  { plain, isTemporary }: NewPassword,
): Promise<void> {
  const stored = plain === null ? null : { hash: await hashPassword(plain), isTemporary }
  if (!(await store.users.setPassword(userId, stored, clock.now()))) requireFound(null, 'user')
  await store.sessions.deleteOfUser(userId)
  await store.invitations.delete(userId)
  await feed.publish([{ kind: 'user', id: userId }])
}

async function readUser(admin: Admin, userId: string): Promise<UserOnWire> {
  const { store } = admin
  const user = requireFound(await store.users.get(userId), 'user')
  const [groups, times] = await Promise.all([store.users.groupsOf(userId), timesOf(admin, [userId])])
  return userOnWire(user, [everyoneGroupId, ...groups], times(userId))
}

async function createUser({ store, feed, clock }: Admin, body: z.output<typeof creation>): Promise<UserOnWire> {
  const { password: plain, temporary: isTemporary, ...fields } = body
  const hasPassword = plain !== undefined
  const user: User = { id: crypto.randomUUID(), ...fields, hasPassword, declared: false, createdAt: clock.now() }
  await store.users.insert(user, hasPassword ? { hash: await hashPassword(plain), isTemporary } : null)
  await feed.publish([{ kind: 'user', id: user.id }])
  return userOnWire(user, [everyoneGroupId])
}

/** The user as changed; without sessions when it may not sign in any more. */
export async function changeUser(
  admin: Admin,
  userId: string,
  body: Change,
  unchanged: Unchanged,
): Promise<UserOnWire> {
  const { store, feed, clock } = admin
  requireEditable(requireFound(await store.users.get(userId), 'user'))
  const options = { keepAdministrator: true, check: unchanged(userVersion) }
  requireFound(await store.users.update(userId, patchOf(body), clock.now(), options), 'user')
  if (body.disabled === true || body.kind === 'service') await store.sessions.deleteOfUser(userId)
  await feed.publish([{ kind: 'user', id: userId }])
  return readUser(admin, userId)
}

function patchOf({ email: address, name, role: newRole, kind: newKind, disabled }: Change): UserPatch {
  return {
    ...(address !== undefined && { email: address }),
    ...(name !== undefined && { name }),
    ...(newRole !== undefined && { role: newRole }),
    ...(newKind !== undefined && { kind: newKind }),
    ...(disabled !== undefined && { disabled }),
  }
}

/** Deletes the user with all keys and sessions. */
export async function deleteUser({ store, feed }: Admin, userId: string, unchanged: Unchanged): Promise<void> {
  requireEditable(requireFound(await store.users.get(userId), 'user'))
  await store.users.delete(userId, { keepAdministrator: true, check: unchanged(userVersion) })
  await feed.publish([{ kind: 'user', id: userId }])
}

/** The user of a membership. Answers 404 for a user or group that does not exist, 409 for the group of everyone. */
async function readMembership({ store }: Admin, ids: { readonly id: string; readonly groupId: string }): Promise<User> {
  const user = requireFound(await store.users.get(ids.id), 'user')
  requireFound(await store.groups.get(ids.groupId), 'group')
  if (ids.groupId === everyoneGroupId) {
    throw new ApiError('conflict', { message: 'Everyone is in the group "everyone"; its members cannot be changed.' })
  }
  return user
}
