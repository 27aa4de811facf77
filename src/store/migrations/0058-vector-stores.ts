/** Vector stores of accounts: which files are in which, and the documents that were made of them. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables. */
export async function vectorStores(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, small, strict] = engine === 'sqlite' ? ['integer', 'integer', 'strict'] : ['bigint', 'integer', '']
  for (const statement of [
    // No foreign keys, as in files: the account, the file or the document may go in the meantime.
    `create table vector_stores (
      id text not null primary key,
      user_id text not null,
      name text,
      description text,
      metadata text not null,
      expires_days ${small},
      created_at ${big} not null,
      last_active_at ${big} not null,
      deleted_at ${big}
    ) ${strict}`,
    'create index vector_stores_of_user on vector_stores (user_id, created_at, id)',
    `create table vector_store_files (
      store_id text not null,
      file_id text not null,
      document_id text not null,
      batch_id text,
      attributes text,
      chunking text not null,
      error_code text,
      error_message text,
      created_at ${big} not null,
      primary key (store_id, file_id)
    ) ${strict}`,
    'create index vector_store_files_of_document on vector_store_files (document_id)',
    'create index vector_store_files_of_file on vector_store_files (file_id)',
    'create index vector_store_files_of_batch on vector_store_files (batch_id)',
    `create table vector_store_batches (
      id text not null primary key,
      store_id text not null,
      created_at ${big} not null,
      cancelled_at ${big}
    ) ${strict}`,
    'create index vector_store_batches_of_store on vector_store_batches (store_id)',
  ])
    await sql.raw(statement).execute(trx)
}
