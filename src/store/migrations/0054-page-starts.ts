/** Where the pages of a document begin in its text, which its chunks alone do not say: a chunk may run over a page's end. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Documents that were read before have none until they are imported again. */
export async function pageStarts(trx: Transaction<Tables>): Promise<void> {
  await sql.raw('alter table chunk_sets add column pages text').execute(trx)
}
