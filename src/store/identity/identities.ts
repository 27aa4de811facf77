/**
 * Users as OpenID Connect issuers know them, and what they have only because an issuer said so:
 * memberships and the role of an administrator. What an administrator gave them here is never taken away.
 */
import type { ExpressionBuilder, Selectable, Transaction } from 'kysely'
import type { Database, Engine } from '../database.ts'
import { Missing, refusing, violationOf } from '../errors.ts'
import { flag, type OidcIdentitiesTable, type Tables } from '../schema.ts'
import { hasOtherAdministrator } from './administrators.ts'

/** What names one: the `iss` and `sub` of an ID token. */
export interface IdentityKey {
  readonly issuer: string
  readonly subject: string
}

export interface Identity extends IdentityKey {
  readonly userId: string
  /** Groups that the user is in because of the issuer. */
  readonly groupIds: readonly string[]
  /** The user is an administrator because of the issuer. */
  readonly madeAdmin: boolean
  readonly createdAt: number
  readonly lastSignInAt: number
}

/** What an issuer gives a user. */
export interface Grants {
  readonly groupIds: readonly string[]
  readonly admin: boolean
}

export interface Granted {
  /** Memberships or the role are other than before. */
  readonly changed: boolean
  /** The role should have been taken away, but nobody else is an enabled administrator. */
  readonly lastAdministrator: boolean
}

export interface IdentityStore {
  get(key: IdentityKey): Promise<Identity | null>
  /**
   * Links a user to a subject, without any grants. False when the subject is linked already, or the
   * user to another subject of this issuer. Throws Missing when the user does not exist.
   */
  link(key: IdentityKey, userId: string, at: number): Promise<boolean>
  /**
   * Makes what the user has because of this identity equal to the grants, and notes the sign-in; all
   * or nothing. Groups that do not exist are left out, and so is the role of a declared user. Throws
   * Missing when there is no such identity.
   */
  grant(key: IdentityKey, grants: Grants, at: number): Promise<Granted>
}

/** The identities of this database. */
export function identityStore(database: Database): IdentityStore {
  const { kysely } = database
  return {
    async get(key) {
      const row = await kysely.selectFrom('oidc_identities').selectAll().where(isOf(key)).executeTakeFirst()
      return row === undefined ? null : identityOf(row)
    },
    async link({ issuer, subject }, userId, at) {
      const row = { issuer, subject, user_id: userId, group_ids: '[]', made_admin: flag(false) }
      try {
        await refusing({ reference: new Missing('user') }, () =>
          kysely
            .insertInto('oidc_identities')
            .values({ ...row, created_at: at, last_sign_in_at: at })
            .execute(),
        )
        return true
      } catch (thrown) {
        if (violationOf(thrown) === null) throw thrown
        return false
      }
    },
    grant: (key, grants, at) =>
      // Refused only when a group is deleted at this very moment.
      refusing({ reference: new Missing('group') }, () =>
        kysely.transaction().execute((trx) => grantIn({ engine: database.engine, trx, at }, key, grants)),
      ),
  }
}

interface Granting {
  readonly engine: Engine
  readonly trx: Transaction<Tables>
  readonly at: number
}

async function grantIn(granting: Granting, key: IdentityKey, grants: Grants): Promise<Granted> {
  const { trx, at } = granting
  // The update comes first: its lock makes two sign-ins of one identity follow one another.
  const row = await trx
    .updateTable('oidc_identities')
    .set({ last_sign_in_at: at })
    .where(isOf(key))
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new Missing('identity')
  const before = identityOf(row)
  const memberships = await grantGroups(trx, before, grants.groupIds)
  const role = await grantRole(granting, before, grants.admin)
  await trx
    .updateTable('oidc_identities')
    .set({ group_ids: JSON.stringify(memberships.groupIds), made_admin: flag(role.madeAdmin) })
    .where(isOf(key))
    .execute()
  return { changed: memberships.changed || role.changed, lastAdministrator: role.lastAdministrator }
}

interface GrantedGroups {
  readonly groupIds: readonly string[]
  readonly changed: boolean
}

async function grantGroups(
  trx: Transaction<Tables>,
  { userId, groupIds: before }: Identity,
  wanted: readonly string[],
): Promise<GrantedGroups> {
  const memberships = await trx.selectFrom('memberships').select('group_id').where('user_id', '=', userId).execute()
  const current = new Set(memberships.map((row) => row.group_id))
  const existing = wanted.length === 0 ? [] : await existingGroups(trx, wanted)
  const added = existing.filter((id) => !current.has(id))
  const removed = before.filter((id) => current.has(id) && !existing.includes(id))
  if (added.length > 0) {
    await trx
      .insertInto('memberships')
      .values(added.map((id) => ({ user_id: userId, group_id: id })))
      .onConflict((conflict) => conflict.columns(['user_id', 'group_id']).doNothing())
      .execute()
  }
  if (removed.length > 0) {
    await trx.deleteFrom('memberships').where('user_id', '=', userId).where('group_id', 'in', removed).execute()
  }
  const kept = before.filter((id) => current.has(id) && existing.includes(id))
  return { groupIds: [...kept, ...added], changed: added.length + removed.length > 0 }
}

async function existingGroups(trx: Transaction<Tables>, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await trx.selectFrom('groups').select('id').where('id', 'in', ids).orderBy('id').execute()
  return rows.map((row) => row.id)
}

interface GrantedRole extends Granted {
  readonly madeAdmin: boolean
}

async function grantRole(
  { engine, trx, at }: Granting,
  { userId, madeAdmin }: Identity,
  wanted: boolean,
): Promise<GrantedRole> {
  const asBefore = { changed: false, lastAdministrator: false, madeAdmin }
  const { role, declared } = await trx
    .selectFrom('users')
    .select(['role', 'declared'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  if (declared === 1) return asBefore
  const set = (to: 'admin' | 'user') =>
    trx.updateTable('users').set({ role: to, updated_at: at }).where('id', '=', userId).execute()
  if (wanted) {
    if (role === 'admin') return asBefore
    await set('admin')
    return { changed: true, lastAdministrator: false, madeAdmin: true }
  }
  if (!madeAdmin || role !== 'admin') return { ...asBefore, madeAdmin: false }
  if (!(await hasOtherAdministrator({ engine }, trx, userId))) return { ...asBefore, lastAdministrator: true }
  await set('user')
  return { changed: true, lastAdministrator: false, madeAdmin: false }
}

function isOf({ issuer, subject }: IdentityKey) {
  return (build: ExpressionBuilder<Tables, 'oidc_identities'>) =>
    build.and([build('issuer', '=', issuer), build('subject', '=', subject)])
}

function identityOf(row: Selectable<OidcIdentitiesTable>): Identity {
  return {
    issuer: row.issuer,
    subject: row.subject,
    userId: row.user_id,
    groupIds: JSON.parse(row.group_ids) as readonly string[],
    madeAdmin: row.made_admin === 1,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  }
}
