/** The time on which all processes on one database agree, whatever their own clocks show. */
import { sql } from 'kysely'
import type { Connection } from './database.ts'

/** Reads the clock of PostgreSQL: whole milliseconds since 1970, the moment of the call and not of a transaction. */
export function databaseTime({ kysely }: Connection): () => Promise<number> {
  return async () => {
    const { rows } = await sql<{ now: number }>`
      select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
    `.execute(kysely)
    const [row] = rows
    if (row === undefined) throw new Error('The database did not say what time it is.')
    return row.now
  }
}
