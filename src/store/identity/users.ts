/** Users and their password hashes. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Role, User, UserKind } from '#identity/records.ts'
import { checkRow, type Check } from '../checked-change.ts'
import type { Database } from '../database.ts'
import { refusing } from '../errors.ts'
import type { Page } from '../page.ts'
import { flag, flagIfSet, type Columns, type Tables, type UsersTable } from '../schema.ts'
import { requireOtherAdministrator } from './administrators.ts'
import { listUserRows, readLastSeen, type UserQuery } from './user-list.ts'

export type UserPatch = Partial<Pick<User, 'email' | 'name' | 'role' | 'kind' | 'disabled' | 'declared'>>

export interface Membership {
  readonly userId: string
  readonly groupId: string
}

export interface UserChangeOptions {
  /** The change throws LastAdministrator when no enabled administrator would be left; checked in its own transaction. */
  readonly keepAdministrator?: boolean
  readonly check?: Check<User> | undefined
}

export interface UserWithGroups {
  readonly user: User
  readonly groupIds: readonly string[]
}

/** What is kept of a password. */
export interface StoredPassword {
  readonly hash: string
  /** Another person has chosen it: the user has to choose another before anything else. */
  readonly isTemporary: boolean
}

export interface UserStore {
  /** A page of users. Throws InvalidCursor. */
  list(query: UserQuery): Promise<Page<User>>
  /** Every user, in the order of creation. */
  all(): Promise<readonly User[]>
  get(id: string): Promise<User | null>
  /** When each of these users was last seen; those who never were are left out. */
  lastSeen(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Those of these users that exist, in any order, each with the ids of the groups that the user was added to. */
  some(ids: readonly string[]): Promise<readonly UserWithGroups[]>
  /** The user with this address, in any case. */
  byEmail(email: string): Promise<User | null>
  /** Adds a user; `hasPassword` of the record is not looked at. Throws NameTaken with the address. */
  insert(user: User, password: StoredPassword | null): Promise<void>
  /** The user as changed, or null when there is none; who becomes a service account loses the password. Throws NameTaken with the address. */
  update(id: string, patch: UserPatch, at: number, options?: UserChangeOptions): Promise<User | null>
  /** Sets or, with null, removes the password; false when there is no such user, or only a service account. */
  setPassword(id: string, password: StoredPassword | null, at: number): Promise<boolean>
  /** Whether the user has put "Getting started" away; null when there is no such user. */
  guideHidden(id: string): Promise<boolean | null>
  setGuideHidden(id: string, hidden: boolean): Promise<void>
  /** Null when the user does not exist, has no password or is a service account. */
  password(id: string): Promise<StoredPassword | null>
  /** Deletes the user with all keys, sessions, memberships and limits; false when there is none. */
  delete(id: string, options?: UserChangeOptions): Promise<boolean>
  /** Every pair of user and group; nobody has a row for the group of everyone. */
  memberships(): Promise<readonly Membership[]>
  /** Ids of the groups that the user was added to. */
  groupsOf(userId: string): Promise<readonly string[]>
}

/** The users of this database. */
export function userStore(database: Database): UserStore {
  const { kysely } = database
  return {
    list: (query) => listUserRows(database, query, userOf),
    async all() {
      const rows = await kysely.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(userOf)
    },
    get: (id) => readUser(kysely, id),
    lastSeen: (ids) => readLastSeen(database, ids),
    some: (ids) => someUsers(database, ids),
    async byEmail(email) {
      const row = await kysely
        .selectFrom('users')
        .selectAll()
        .where('email', '=', email.toLowerCase())
        .executeTakeFirst()
      return row === undefined ? null : userOf(row)
    },
    async insert(user, password) {
      await refusing({ taken: user.email }, () => kysely.insertInto('users').values(rowOf(user, password)).execute())
    },
    ...changes(database),
    ...passwords(database),
    ...guides(database),
    ...membershipRows(database),
  }
}

async function readUser(on: Kysely<Tables>, id: string): Promise<User | null> {
  const row = await on.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : userOf(row)
}

function changes(database: Database): Pick<UserStore, 'update' | 'delete'> {
  const { kysely } = database
  /** Runs a change of a user; one that could take the last administrator away, or is checked, in a transaction. */
  const changing = <T>(
    id: string,
    { keepAdministrator = false, check }: UserChangeOptions,
    change: (on: Kysely<Tables>) => Promise<T>,
  ): Promise<T> => {
    if (!keepAdministrator && check === undefined) return change(kysely)
    return kysely.transaction().execute(async (trx: Transaction<Tables>) => {
      // First, because it locks all administrators in one order.
      if (keepAdministrator) await requireOtherAdministrator(database, trx, id)
      await checkRow(database, trx, check, { table: 'users', id, read: (on) => readUser(on, id) })
      return change(trx)
    })
  }
  return {
    async update(id, patch, at, { keepAdministrator = false, check } = {}) {
      const takes = patch.role === 'user' || patch.disabled === true || patch.kind === 'service'
      const mayTake = keepAdministrator && takes
      const row = await refusing({ taken: patch.email }, () =>
        changing(id, { keepAdministrator: mayTake, check }, (on) =>
          on
            .updateTable('users')
            .set({ ...columnsOf(patch), updated_at: at })
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirst(),
        ),
      )
      return row === undefined ? null : userOf(row)
    },
    async delete(id, options = {}) {
      const result = await changing(id, options, (on) => on.deleteFrom('users').where('id', '=', id).executeTakeFirst())
      return result.numDeletedRows > 0n
    },
  }
}

/** Ids per statement: far below SQLite's 32,766 parameters. */
const idsMax = 1000

async function someUsers({ kysely }: Database, ids: readonly string[]): Promise<readonly UserWithGroups[]> {
  const found: UserWithGroups[] = []
  for (let start = 0; start < ids.length; start += idsMax) {
    const some = ids.slice(start, start + idsMax)
    const rows = await kysely.selectFrom('users').selectAll().where('id', 'in', some).execute()
    const memberships = await kysely
      .selectFrom('memberships')
      .select(['user_id', 'group_id'])
      .where('user_id', 'in', some)
      .execute()
    const groups = Map.groupBy(memberships, (row) => row.user_id)
    for (const row of rows) {
      found.push({ user: userOf(row), groupIds: (groups.get(row.id) ?? []).map((member) => member.group_id) })
    }
  }
  return found
}

function guides({ kysely }: Database): Pick<UserStore, 'guideHidden' | 'setGuideHidden'> {
  return {
    async guideHidden(id) {
      const row = await kysely.selectFrom('users').select('guide_hidden').where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : row.guide_hidden === 1
    },
    async setGuideHidden(id, hidden) {
      await kysely
        .updateTable('users')
        .set({ guide_hidden: flag(hidden) })
        .where('id', '=', id)
        .execute()
    },
  }
}

function passwords({ kysely }: Database): Pick<UserStore, 'setPassword' | 'password'> {
  return {
    async setPassword(id, password, at) {
      const result = await kysely
        .updateTable('users')
        .set({ ...passwordColumns(password), updated_at: at })
        .where('id', '=', id)
        .where('kind', '=', 'person')
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    async password(id) {
      const row = await kysely
        .selectFrom('users')
        .select(['password_hash as hash', 'password_temporary as temporary'])
        .where('id', '=', id)
        // A process of the version before may have set one.
        .where('kind', '=', 'person')
        .executeTakeFirst()
      return row === undefined || row.hash === null ? null : { hash: row.hash, isTemporary: row.temporary === 1 }
    },
  }
}

function membershipRows({ kysely }: Database): Pick<UserStore, 'memberships' | 'groupsOf'> {
  return {
    async memberships() {
      return kysely.selectFrom('memberships').select(['user_id as userId', 'group_id as groupId']).execute()
    },
    async groupsOf(userId) {
      const rows = await kysely
        .selectFrom('memberships')
        .select('group_id')
        .where('user_id', '=', userId)
        .orderBy('group_id')
        .execute()
      return rows.map((row) => row.group_id)
    },
  }
}

function passwordColumns(password: StoredPassword | null) {
  return { password_hash: password?.hash ?? null, password_temporary: flag(password?.isTemporary ?? false) }
}

function rowOf(user: User, password: StoredPassword | null): UsersTable {
  return {
    id: user.id,
    email: user.email.toLowerCase(),
    name: user.name,
    role: user.role,
    kind: user.kind,
    ...passwordColumns(password),
    disabled: flag(user.disabled),
    declared: flag(user.declared),
    created_at: user.createdAt,
    updated_at: user.createdAt,
    seen_at: null,
    guide_hidden: 0,
  }
}

function columnsOf(patch: UserPatch): Columns<UsersTable> {
  return {
    email: patch.email?.toLowerCase(),
    name: patch.name,
    role: patch.role,
    kind: patch.kind,
    ...(patch.kind === 'service' && passwordColumns(null)),
    disabled: flagIfSet(patch.disabled),
    declared: flagIfSet(patch.declared),
  }
}

/** The user of a row of the users table. */
export function userOf(row: Selectable<UsersTable>): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role as Role,
    kind: row.kind as UserKind,
    hasPassword: row.kind === 'person' && row.password_hash !== null,
    disabled: row.disabled === 1,
    declared: row.declared === 1,
    createdAt: row.created_at,
  }
}
