/** Browser sessions. Only the digests of their tokens are stored. */
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'

export interface Session {
  readonly digest: string
  readonly userId: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface SessionStore {
  /** Throws Missing when the user does not exist. */
  insert(session: Session): Promise<void>
  /** The session, expired or not, or null. */
  get(digest: string): Promise<Session | null>
  /** False when there was none. */
  delete(digest: string): Promise<boolean>
  /** Ends every session of the user; returns how many there were. */
  deleteOfUser(userId: string): Promise<number>
  /** Removes the sessions that have expired by now; returns how many. */
  purge(now: number): Promise<number>
}

/** The sessions of this database. */
export function sessionStore({ kysely }: Database): SessionStore {
  return {
    async insert(session) {
      await refusing({ reference: new Missing('user') }, () =>
        kysely
          .insertInto('sessions')
          .values({
            digest: session.digest,
            user_id: session.userId,
            created_at: session.createdAt,
            expires_at: session.expiresAt,
          })
          .execute(),
      )
    },
    async get(digest) {
      const session = await kysely
        .selectFrom('sessions')
        .select(['digest', 'user_id as userId', 'created_at as createdAt', 'expires_at as expiresAt'])
        .where('digest', '=', digest)
        .executeTakeFirst()
      return session ?? null
    },
    async delete(digest) {
      const result = await kysely.deleteFrom('sessions').where('digest', '=', digest).executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async deleteOfUser(userId) {
      const result = await kysely.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst()
      return Number(result.numDeletedRows)
    },
    async purge(now) {
      const result = await kysely.deleteFrom('sessions').where('expires_at', '<=', now).executeTakeFirst()
      return Number(result.numDeletedRows)
    },
  }
}
