/** Lines of batches that a provider runs as a batch of its own: which models, which parts, and how far each is. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../schema.ts'

/** Adds the columns; without values everything runs here. */
export async function nativeBatches(trx: Transaction<Tables>): Promise<void> {
  const columns = [
    'models add column batch text',
    'batches add column native_models text',
    'batch_jobs add column native_model text',
    'batch_jobs add column native text',
  ]
  for (const column of columns) await sql.raw(`alter table ${column}`).execute(trx)
}
