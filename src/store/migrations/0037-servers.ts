/** Several servers behind one provider. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** A provider without a value has the one server at its address. */
export async function servers(trx: Transaction<Tables>): Promise<void> {
  await sql`alter table providers add column servers text`.execute(trx)
}
