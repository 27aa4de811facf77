/** Files of vector stores become documents after the request that adds them, whose bytes it does not wait for. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** 1 until the document is there. The version before makes it before it answers, and leaves 0. */
export async function addedFiles(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const big = engine === 'sqlite' ? 'integer' : 'bigint'
  for (const statement of [
    'alter table vector_store_files add column pending integer not null default 0',
    `alter table vector_store_files add column claimed_until ${big} not null default 0`,
    'create index vector_store_files_pending on vector_store_files (claimed_until) where pending = 1',
  ])
    await sql.raw(statement).execute(trx)
}
