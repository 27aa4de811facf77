/** What the lines of a batch have cost, and how many failed with which error. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** A process of the version before leaves the lines that it runs out of both. */
export async function batchFigures(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const integer = engine === 'sqlite' ? 'integer' : 'bigint'
  for (const column of [`cost ${integer}`, 'failures text'])
    await sql.raw(`alter table batches add column ${column}`).execute(trx)
}
