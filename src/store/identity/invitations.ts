/**
 * Links by which people choose their first password, or another one. Only the digests of their tokens are stored; each
 * works once, until its time has passed or another takes its place.
 */
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'

export interface Invitation {
  readonly digest: string
  readonly userId: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface InvitationStore {
  /** Takes the place of the user's invitation before. Throws Missing when the user does not exist. */
  put(invitation: Invitation): Promise<void>
  /** The invitation, expired or not; null when it was used or replaced. */
  get(digest: string): Promise<Invitation | null>
  /** The invitations of these users, expired or not. */
  some(userIds: readonly string[]): Promise<readonly Invitation[]>
  /** Takes it out, if it has not expired by now: true for one caller only. */
  use(digest: string, now: number): Promise<boolean>
  /** Withdraws the user's invitation; false when there was none. */
  delete(userId: string): Promise<boolean>
}

/** The invitations of this database. */
export function invitationStore({ kysely }: Database): InvitationStore {
  const selected = () =>
    kysely
      .selectFrom('invitations')
      .select(['digest', 'user_id as userId', 'created_at as createdAt', 'expires_at as expiresAt'])
  return {
    async put({ digest, userId, createdAt, expiresAt }) {
      const values = { digest, created_at: createdAt, expires_at: expiresAt }
      await refusing({ reference: new Missing('user') }, () =>
        kysely
          .insertInto('invitations')
          .values({ user_id: userId, ...values })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
          .execute(),
      )
    },
    async get(digest) {
      return (await selected().where('digest', '=', digest).executeTakeFirst()) ?? null
    },
    async some(userIds) {
      return userIds.length === 0 ? [] : selected().where('user_id', 'in', userIds).execute()
    },
    async use(digest, now) {
      const result = await kysely
        .deleteFrom('invitations')
        .where('digest', '=', digest)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async delete(userId) {
      const result = await kysely.deleteFrom('invitations').where('user_id', '=', userId).executeTakeFirst()
      return result.numDeletedRows > 0n
    },
  }
}
