/**
 * The words of neighbouring chunks as one value, for searches within few documents. What was stored before has none:
 * a server packs it while it serves (migration 70, store/documents/work/packing.ts).
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the table. */
export async function packedWords(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const statements =
    engine === 'sqlite'
      ? ['create table chunk_words (row integer primary key, words blob not null) strict']
      : [
          'create table chunk_words (row bigint primary key, words bytea not null)',
          'alter table chunk_words alter column words set storage external',
        ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
