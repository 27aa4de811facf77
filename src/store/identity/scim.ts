/**
 * Users and groups as a provisioning service (SCIM, RFC 7643) sees them: people, with the names and ids that the service
 * gave them, and every group but that of everyone.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import { everyoneGroupId, type Group, type User } from '#identity/records.ts'
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'
import type { Tables } from '../schema.ts'
import { groupOf, groupStore } from './groups.ts'
import { groupColumns, scimCondition, userColumns, type ScimFilter } from './scim-filter.ts'
import { userOf, userStore } from './users.ts'

/** What only the service says of a user. */
export interface ScimUserFields {
  /** Its name for the user, unique in any case; the e-mail address where it has none. */
  readonly userName: string
  readonly externalId: string | null
  readonly givenName: string
  readonly familyName: string
}

export interface ScimUser extends ScimUserFields {
  readonly user: User
  readonly updatedAt: number
  readonly groups: readonly ScimReference[]
}

export interface ScimGroup {
  readonly group: Group
  readonly externalId: string | null
  /** Null when they were not asked for. */
  readonly members: readonly ScimReference[] | null
}

/** A group of a user, or a member of a group, with its name or address. */
export interface ScimReference {
  readonly id: string
  readonly display: string
}

export interface ScimQuery {
  readonly filter: ScimFilter | null
  readonly offset: number
  /** 0: only the total. */
  readonly limit: number
}

export interface ScimList<T> {
  readonly total: number
  readonly items: readonly T[]
}

/** How the members of a group change. `replace`: there are no others. */
export interface MemberChange {
  readonly replace: boolean
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

export interface ScimStore {
  /** In the order of creation. Throws UnknownAttribute. */
  users(query: ScimQuery): Promise<ScimList<ScimUser>>
  user(id: string): Promise<ScimUser | null>
  /** Adds a user. Throws NameTaken. */
  insertUser(user: User, fields: ScimUserFields): Promise<void>
  /** Writes what only the service says; of what is there already only `changed`. Throws NameTaken and Missing. */
  putUserFields(userId: string, fields: ScimUserFields, changed: Partial<ScimUserFields>): Promise<void>
  /** As `users`. */
  groups(query: ScimQuery, withMembers: boolean): Promise<ScimList<ScimGroup>>
  group(id: string, withMembers: boolean): Promise<ScimGroup | null>
  /** Adds a group with its members. Throws NameTaken, and Missing for a member that is not a person. */
  insertGroup(group: Group, externalId: string | null, members: readonly string[]): Promise<void>
  putGroupFields(groupId: string, externalId: string | null): Promise<void>
  /** Changes members, all or none, and returns the users who have joined or left. Throws Missing. */
  changeMembers(groupId: string, change: MemberChange): Promise<readonly string[]>
}

/** Users and groups of this database. */
export function scimStore(database: Database): ScimStore {
  return { ...userCalls(database), ...groupCalls(database) }
}

type UserCalls = Pick<ScimStore, 'users' | 'user' | 'insertUser' | 'putUserFields'>

function userCalls(database: Database): UserCalls {
  const { kysely } = database
  const people = (filter: ScimFilter | null) =>
    kysely
      .selectFrom('users as u')
      .leftJoin('scim_users as s', 's.user_id', 'u.id')
      .where('u.kind', '=', 'person')
      .where(scimCondition(filter, userColumns))
  const read = async (filter: ScimFilter | null, offset: number, limit: number): Promise<readonly ScimUser[]> => {
    const rows = await people(filter)
      .selectAll('u')
      .select(['s.user_name', 's.external_id', 's.given_name', 's.family_name'])
      .orderBy('u.created_at')
      .orderBy('u.id')
      .limit(limit)
      .offset(offset)
      .execute()
    const groups = await groupsOf(
      kysely,
      rows.map(({ id }) => id),
    )
    return rows.map((row) => ({
      user: userOf(row),
      updatedAt: row.updated_at,
      userName: row.user_name ?? row.email,
      externalId: row.external_id,
      givenName: row.given_name ?? '',
      familyName: row.family_name ?? '',
      groups: groups.get(row.id) ?? [],
    }))
  }
  return {
    async users({ filter, offset, limit }) {
      const { total } = await people(filter).select(counted).executeTakeFirstOrThrow()
      return { total, items: limit === 0 ? [] : await read(filter, offset, limit) }
    },
    user: async (id) => (await read(sameId(id), 0, 1))[0] ?? null,
    insertUser: (user, fields) =>
      refusing({ taken: fields.userName }, () =>
        kysely.transaction().execute(async (trx) => {
          await userStore({ ...database, kysely: trx }).insert(user, null)
          await putFields(trx, user.id, fields, {})
        }),
      ),
    putUserFields: (userId, fields, changed) =>
      refusing({ taken: fields.userName, reference: new Missing('user') }, () =>
        putFields(kysely, userId, fields, changed),
      ),
  }
}

type GroupCalls = Omit<ScimStore, keyof UserCalls>

function groupCalls(database: Database): GroupCalls {
  const { kysely } = database
  const ordinary = (filter: ScimFilter | null) =>
    kysely
      .selectFrom('groups as g')
      .leftJoin('scim_groups as s', 's.group_id', 'g.id')
      .where('g.id', '!=', everyoneGroupId)
      .where(scimCondition(filter, groupColumns))
  const read = async ({ filter, offset, limit }: ScimQuery, withMembers: boolean): Promise<readonly ScimGroup[]> => {
    const rows = await ordinary(filter)
      .selectAll('g')
      .select('s.external_id')
      .orderBy('g.created_at')
      .orderBy('g.id')
      .limit(limit)
      .offset(offset)
      .execute()
    const members = withMembers
      ? await membersOf(
          kysely,
          rows.map(({ id }) => id),
        )
      : null
    return rows.map((row) => ({
      group: groupOf(row),
      externalId: row.external_id,
      members: members === null ? null : (members.get(row.id) ?? []),
    }))
  }
  return {
    async groups(query, withMembers) {
      const { total } = await ordinary(query.filter).select(counted).executeTakeFirstOrThrow()
      return { total, items: query.limit === 0 ? [] : await read(query, withMembers) }
    },
    group: async (id, withMembers) => (await read({ filter: sameId(id), offset: 0, limit: 1 }, withMembers))[0] ?? null,
    insertGroup: (group, externalId, members) =>
      kysely.transaction().execute(async (trx) => {
        await groupStore({ ...database, kysely: trx }).insert(group)
        await putGroup(trx, group.id, externalId)
        await addMembers(trx, group.id, members)
      }),
    putGroupFields: (groupId, externalId) =>
      refusing({ reference: new Missing('group') }, () => putGroup(kysely, groupId, externalId)),
    changeMembers: (groupId, change) => kysely.transaction().execute((trx) => changeMembers(trx, groupId, change)),
  }
}

async function changeMembers(
  trx: Transaction<Tables>,
  groupId: string,
  { replace, add, remove }: MemberChange,
): Promise<readonly string[]> {
  const rows = await trx.selectFrom('memberships').select('user_id').where('group_id', '=', groupId).execute()
  const before = new Set(rows.map((row) => row.user_id))
  const [joining, leaving] = [new Set(add), new Set(replace ? before : remove)]
  const joined = [...joining].filter((id) => !before.has(id))
  const left = [...leaving].filter((id) => before.has(id) && !joining.has(id))
  await addMembers(trx, groupId, joined)
  for (const some of partsOf(left))
    await trx.deleteFrom('memberships').where('group_id', '=', groupId).where('user_id', 'in', some).execute()
  return [...joined, ...left]
}

/** Throws Missing when one of them is not a person here. */
async function addMembers(trx: Transaction<Tables>, groupId: string, userIds: readonly string[]): Promise<void> {
  for (const some of partsOf([...new Set(userIds)])) {
    const people = await trx
      .selectFrom('users')
      .select('id')
      .where('id', 'in', some)
      .where('kind', '=', 'person')
      .execute()
    if (people.length < some.length) throw new Missing('member')
    await refusing({ reference: new Missing('group') }, () =>
      trx
        .insertInto('memberships')
        .values(some.map((id) => ({ group_id: groupId, user_id: id })))
        .onConflict((conflict) => conflict.columns(['user_id', 'group_id']).doNothing())
        .execute(),
    )
  }
}

async function putFields(
  on: Kysely<Tables>,
  userId: string,
  fields: ScimUserFields,
  changed: Partial<ScimUserFields>,
): Promise<void> {
  const row = {
    user_id: userId,
    user_name: fields.userName,
    external_id: fields.externalId,
    given_name: fields.givenName,
    family_name: fields.familyName,
  }
  const changes = {
    user_name: changed.userName,
    external_id: changed.externalId,
    given_name: changed.givenName,
    family_name: changed.familyName,
  }
  await on
    .insertInto('scim_users')
    .values(row)
    // The id is there for a change of nothing.
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ user_id: userId, ...changes }))
    .execute()
}

async function putGroup(on: Kysely<Tables>, groupId: string, externalId: string | null): Promise<void> {
  await on
    .insertInto('scim_groups')
    .values({ group_id: groupId, external_id: externalId })
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet({ external_id: externalId }))
    .execute()
}

async function groupsOf(
  kysely: Kysely<Tables>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ScimReference[]>> {
  if (userIds.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('memberships as m')
    .innerJoin('groups as g', 'g.id', 'm.group_id')
    .select(['m.user_id as owner', 'g.id', 'g.name as display'])
    .where('m.user_id', 'in', userIds)
    .orderBy('g.name')
    .execute()
  return Map.groupBy(rows, ({ owner }) => owner)
}

async function membersOf(
  kysely: Kysely<Tables>,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ScimReference[]>> {
  if (groupIds.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.group_id as owner', 'u.id', 'u.email as display'])
    .where('m.group_id', 'in', groupIds)
    .where('u.kind', '=', 'person')
    .orderBy('u.created_at')
    .orderBy('u.id')
    .execute()
  return Map.groupBy(rows, ({ owner }) => owner)
}

const counted = sql<number>`cast(count(*) as bigint)`.as('total')

function sameId(value: string): ScimFilter {
  return { kind: 'compare', attribute: 'id', operator: 'eq', value }
}

/** Ids per statement. */
const idsMax = 1000

function partsOf(ids: readonly string[]): readonly (readonly string[])[] {
  const parts: (readonly string[])[] = []
  for (let from = 0; from < ids.length; from += idsMax) parts.push(ids.slice(from, from + idsMax))
  return parts
}
