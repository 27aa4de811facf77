/** The tokens that the lines of a batch have used, and the model that all of them name. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** A process of the version before leaves the lines that it runs out of the tokens, and names no model. */
export async function batchUsage(trx: Transaction<Tables>): Promise<void> {
  for (const column of ['usage text', 'model text'])
    await sql.raw(`alter table batches add column ${column}`).execute(trx)
}
