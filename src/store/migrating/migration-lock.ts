/** The lock under which migrations run: one process migrates, the others wait and find it done. */
import { sql, type Kysely } from 'kysely'
import { pause } from '#lib/loop.ts'
import type { Database } from '../database.ts'
import { StoreUnavailable } from '../errors.ts'
import type { Tables } from '../schema.ts'

const pollMs = 100

/** Per schema, since several installations may share a database. The name is that of version 0.1, which waits for it. */
const key = sql`hashtext('sluice migrations'), hashtext(current_schema())`

/**
 * Runs the work on one connection under the lock. On PostgreSQL the lock ends with the connection, so a killed process
 * leaves none. It is asked for again and again: a statement that waits for it would hold a snapshot, for which
 * `create index concurrently` waits on the other side. SQLite's transactions have its write lock.
 */
export async function underMigrationLock<T>(
  { kysely, engine }: Database,
  signal: AbortSignal,
  work: (connection: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return kysely.connection().execute(async (connection) => {
    if (engine === 'sqlite') return work(connection)
    while (!(await tryLock(connection))) {
      await pause(pollMs, signal)
      if (signal.aborted) throw new StoreUnavailable('another process migrates it')
    }
    try {
      return await work(connection)
    } finally {
      // A connection that broke has given it back.
      await sql`select pg_advisory_unlock(${key})`.execute(connection).catch(() => undefined)
    }
  })
}

async function tryLock(connection: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${key}) as held`.execute(connection)
  return rows[0]?.held === true
}
