/** Groups and who is in them. */
import type { Insertable, Kysely, Selectable } from 'kysely'
import { permissions, type Group, type User } from '#identity/records.ts'
import { checkedChange, type Check } from '../checked-change.ts'
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'
import { behindCursor, creationPlace, pageOf, type Page, type PageRequest } from '../page.ts'
import { flag, flagIfSet, type GroupsTable, type Tables } from '../schema.ts'
import { userOf } from './users.ts'

export type GroupPatch = {
  readonly [Field in 'name' | 'description' | 'permissions' | 'declared']?: Group[Field] | undefined
}

export interface GroupStore {
  /** A page of groups in the order of creation; the group of everyone comes first. Throws InvalidCursor. */
  list(request: PageRequest): Promise<Page<Group>>
  /** Every group, in the order of creation. */
  all(): Promise<readonly Group[]>
  get(id: string): Promise<Group | null>
  byName(name: string): Promise<Group | null>
  /** Throws NameTaken. */
  insert(group: Group): Promise<void>
  /** The group as changed, or null when there is none. Throws NameTaken. */
  update(id: string, patch: GroupPatch, check?: Check<Group>): Promise<Group | null>
  /** Deletes the group, its memberships and its models' reference to it; false when there is none. */
  delete(id: string, check?: Check<Group>): Promise<boolean>
  /** Makes the user a member; adding a member again does nothing. Throws Missing. */
  addMember(groupId: string, userId: string): Promise<void>
  /** False when the user was not a member. */
  removeMember(groupId: string, userId: string): Promise<boolean>
  /** A page of the users that were added to the group, in the order of their creation. Throws InvalidCursor. */
  members(groupId: string, request: PageRequest): Promise<Page<User>>
}

/** The groups of this database. */
export function groupStore(database: Database): GroupStore {
  const { kysely } = database
  return {
    async list(request) {
      const rows = await kysely
        .selectFrom('groups')
        .selectAll()
        .where(behindCursor(request, 'groups'))
        .orderBy('created_at')
        .orderBy('id')
        .limit(request.limit + 1)
        .execute()
      return pageOf(rows, request.limit, { item: groupOf, place: creationPlace })
    },
    async all() {
      const rows = await kysely.selectFrom('groups').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(groupOf)
    },
    get: (id) => readGroup(kysely, id),
    async byName(name) {
      const row = await kysely.selectFrom('groups').selectAll().where('name', '=', name).executeTakeFirst()
      return row === undefined ? null : groupOf(row)
    },
    async insert(group) {
      await refusing({ taken: group.name }, () => kysely.insertInto('groups').values(rowOf(group)).execute())
    },
    async update(id, patch, check) {
      const write = (on: Kysely<Tables>) =>
        on
          .updateTable('groups')
          // The id makes an empty patch a valid statement.
          .set({ id, ...columnsOf(patch) })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
      const row = await refusing({ taken: patch.name }, () =>
        checkedChange(database, check, { table: 'groups', id, read: (on) => readGroup(on, id), write }),
      )
      return row === undefined ? null : groupOf(row)
    },
    async delete(id, check) {
      const write = (on: Kysely<Tables>) => on.deleteFrom('groups').where('id', '=', id).executeTakeFirst()
      const change = { table: 'groups', id, read: (on: Kysely<Tables>) => readGroup(on, id), write } as const
      const result = await checkedChange(database, check, change)
      return result.numDeletedRows > 0n
    },
    ...memberRows(database),
  }
}

async function readGroup(on: Kysely<Tables>, id: string): Promise<Group | null> {
  const row = await on.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : groupOf(row)
}

function memberRows({ kysely }: Database): Pick<GroupStore, 'addMember' | 'removeMember' | 'members'> {
  return {
    async addMember(groupId, userId) {
      await refusing({ reference: new Missing('user or group') }, () =>
        kysely
          .insertInto('memberships')
          .values({ group_id: groupId, user_id: userId })
          .onConflict((conflict) => conflict.columns(['user_id', 'group_id']).doNothing())
          .execute(),
      )
    },
    async removeMember(groupId, userId) {
      const result = await kysely
        .deleteFrom('memberships')
        .where('group_id', '=', groupId)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async members(groupId, request) {
      const rows = await kysely
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .selectAll('users')
        .where('memberships.group_id', '=', groupId)
        .where(behindCursor(request, 'users'))
        .orderBy('users.created_at')
        .orderBy('users.id')
        .limit(request.limit + 1)
        .execute()
      return pageOf(rows, request.limit, { item: userOf, place: creationPlace })
    },
  }
}

function rowOf(group: Group): Insertable<GroupsTable> {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    declared: flag(group.declared),
    permissions: JSON.stringify(group.permissions),
    created_at: group.createdAt,
  }
}

function columnsOf({ name, description, declared, permissions: granted }: GroupPatch) {
  return {
    name,
    description,
    declared: flagIfSet(declared),
    permissions: granted === undefined ? undefined : JSON.stringify(granted),
  }
}

/** A permission of a later version that this one does not know is left out. */
function permissionsOf(json: string): Group['permissions'] {
  const stored = JSON.parse(json) as readonly string[]
  return permissions.filter((permission) => stored.includes(permission))
}

export function groupOf(row: Selectable<GroupsTable>): Group {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    declared: row.declared === 1,
    permissions: permissionsOf(row.permissions),
    createdAt: row.created_at,
  }
}
