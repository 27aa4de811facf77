/** Browser sessions. Only the digests of their tokens are stored. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { Missing, refusing } from '../errors.ts'

export interface Session {
  readonly digest: string
  readonly userId: string
  readonly createdAt: number
  readonly expiresAt: number
  /** When it was last used, to about a minute; null when it was not since it began, or for one of an older version. */
  readonly seenAt: number | null
  /** How the browser names itself; null when it is not known. */
  readonly agent: string | null
  /** From where the sign-in came; null when it is not known. */
  readonly address: string | null
}

export interface SessionStore {
  /** Throws Missing when the user does not exist. */
  insert(session: Session): Promise<void>
  /** The session, expired or not, or null. */
  get(digest: string): Promise<Session | null>
  /** The sessions of the user that have not expired by now, the newest first. */
  ofUser(userId: string, now: number): Promise<readonly Session[]>
  /** Notes that the session, and so its user, was seen. A time never moves backwards. */
  touch(session: Pick<Session, 'digest' | 'userId'>, at: number): Promise<void>
  /** False when there was none. */
  delete(digest: string): Promise<boolean>
  /** Ends every session of the user; returns how many there were. */
  deleteOfUser(userId: string): Promise<number>
  /** Removes the sessions that have expired by now; returns how many. */
  purge(now: number): Promise<number>
}

/** The sessions of this database. */
export function sessionStore({ kysely }: Database): SessionStore {
  const selected = () =>
    kysely
      .selectFrom('sessions')
      .select([
        'digest',
        'user_id as userId',
        'created_at as createdAt',
        'expires_at as expiresAt',
        'seen_at as seenAt',
        'agent',
        'address',
      ])
  return {
    async insert({ digest, userId, createdAt, expiresAt, seenAt, agent, address }) {
      const times = { created_at: createdAt, expires_at: expiresAt, seen_at: seenAt }
      await refusing({ reference: new Missing('user') }, () =>
        kysely
          .insertInto('sessions')
          .values({ digest, user_id: userId, ...times, agent, address })
          .execute(),
      )
    },
    async get(digest) {
      return (await selected().where('digest', '=', digest).executeTakeFirst()) ?? null
    },
    async ofUser(userId, now) {
      return selected()
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .orderBy('created_at', 'desc')
        .orderBy('digest')
        .execute()
    },
    async touch({ digest, userId }, at) {
      // Each statement by itself: locks of both rows at once could wait for those of another change of the user.
      for (const [table, key, value] of [['sessions', 'digest', digest] as const, ['users', 'id', userId] as const])
        await sql`update ${sql.table(table)} set seen_at = ${at}
          where ${sql.ref(key)} = ${value} and coalesce(seen_at, 0) < ${at}`.execute(kysely)
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
