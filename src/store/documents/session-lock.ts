/** Work of which one process on a database does some at a time: by a lock that ends with its session. */
import { sql } from 'kysely'
import type { Connection } from '../database.ts'

/**
 * Does the work unless another process does it: null then. The connection is one session, and no other's. SQLite has
 * one process.
 */
export async function underSessionLock<T>(
  { engine, kysely }: Connection,
  name: string,
  work: () => Promise<T>,
): Promise<T | null> {
  if (engine === 'sqlite') return work()
  const key = sql`hashtextextended(${name} || ' ' || current_schema(), 0)`
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_lock(${key}) as got`.execute(kysely)
  if (rows[0]?.got !== true) return null
  try {
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${key})`.execute(kysely)
  }
}
