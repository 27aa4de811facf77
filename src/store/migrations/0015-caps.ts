/** Caps on requests under way at models and providers, and the class in which the requests of a key wait for them. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Adds the columns; without values nothing is capped, and keys are of the class `normal`. */
export async function caps(trx: Transaction<Tables>): Promise<void> {
  for (const column of ['models add column max_concurrent integer', 'providers add column max_concurrent integer'])
    await sql.raw(`alter table ${column}`).execute(trx)
  await sql`alter table api_keys add column priority text`.execute(trx)
}
