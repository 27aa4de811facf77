/** How processes on one PostgreSQL tell each other which requests have ended, while people watch. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { openPostgresSession } from '../engines/postgres-session.ts'

/** Bytes of the longest text that can be sent. */
export const payloadMax = 7800

/** What is sent is kept nowhere. */
export interface LiveChannel {
  /** At most `payloadMax` bytes, without NUL. */
  send(text: string): Promise<void>
  /** Hears of all that is sent, its own included, until it is disposed. @param onEnd the connection is gone; also called after that */
  listen(onText: (text: string) => void, onEnd: () => void): Promise<AsyncDisposable>
}

const answerTimeoutMs = 5000

/** Channels belong to the database, tables to a schema. */
const channel = sql<string>`'sluice_live_' || md5(current_schema())`

/** The channel of this database. @param url for the connection that listens */
export function liveChannel({ kysely }: Database, url: string): LiveChannel {
  return {
    async send(text) {
      await sql`select pg_notify(${channel}, ${text})`.execute(kysely)
    },
    async listen(onText, onEnd) {
      const session = await openPostgresSession({ url, answerTimeoutMs, onNotification: onText, onEnd })
      try {
        const { rows } = await sql<{ channel: string }>`select ${channel} as channel`.execute(session.kysely)
        for (const row of rows) await sql`listen ${sql.id(row.channel)}`.execute(session.kysely)
      } catch (thrown) {
        void session.close()
        throw thrown
      }
      return { [Symbol.asyncDispose]: () => session.close() }
    },
  }
}
