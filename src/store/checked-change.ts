/**
 * A change that first looks at what it changes: reading, checking and writing are one transaction, under a lock that
 * every other change of the same thing takes, too. What a check looks for is decided above the store.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import { lockRow, type Database } from './database.ts'
import type { Tables } from './schema.ts'

/** Looks at a record as it is just before a change. What it throws refuses the change. */
export type Check<Found> = (found: Found) => void

export interface RowChange<Found, Result> {
  readonly table: keyof Tables
  readonly id: string
  /** The record, or null when there is none. */
  readonly read: (on: Kysely<Tables>) => Promise<Found | null>
  readonly write: (on: Kysely<Tables>) => Promise<Result>
}

/** Writes; with a check, only after that has seen the row, which nothing changes in between. */
export async function checkedChange<Found, Result>(
  database: Database,
  check: Check<Found> | undefined,
  change: RowChange<Found, Result>,
): Promise<Result> {
  if (check === undefined) return change.write(database.kysely)
  return database.kysely.transaction().execute(async (trx) => {
    await checkRow(database, trx, check, change)
    return change.write(trx)
  })
}

/** The same inside a transaction. A row that is gone is not checked: the write finds that out. */
export async function checkRow<Found>(
  database: Database,
  trx: Transaction<Tables>,
  check: Check<Found> | undefined,
  { table, id, read }: Pick<RowChange<Found, unknown>, 'table' | 'id' | 'read'>,
): Promise<void> {
  if (check === undefined) return
  await lockRow(database, trx, { table, id })
  const found = await read(trx)
  if (found !== null) check(found)
}

/**
 * Runs changes of one name one after the other, in a transaction each. For rows that come and go: what does not exist
 * cannot be locked as a row. On SQLite the transaction is lock enough.
 */
export async function changingNamed<Result>(
  { engine, kysely }: Database,
  name: string,
  change: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return kysely.transaction().execute(async (trx) => {
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
    return change(trx)
  })
}
