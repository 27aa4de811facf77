/** The names under which the same bytes came again. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** A JSON list. Processes of the version before add no names and lose none. */
export async function otherNames(trx: Transaction<Tables>): Promise<void> {
  await sql`alter table documents add column other_names text not null default '[]'`.execute(trx)
}
