/** In which place the bytes of a file lie, so that batches go to processes that can read them. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Files that were stored before have none: every process tries them. */
export async function filePlaces(trx: Transaction<Tables>): Promise<void> {
  await sql.raw('alter table files add column place text').execute(trx)
}
