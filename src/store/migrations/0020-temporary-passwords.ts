/** Passwords that were chosen for a user. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** 1: the user has to choose an own one. An earlier version, which does not know the column, lets such a user in. */
export async function temporaryPasswords(trx: Transaction<Tables>, _engine: Engine): Promise<void> {
  await sql`alter table users add column password_temporary integer not null default 0`.execute(trx)
}
