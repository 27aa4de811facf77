/** Files of accounts, batches, the jobs of their workers, and the results of lines until they are a file. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables. The bytes of files are where those of documents are. */
export async function batches(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    // No foreign keys, as in stored_responses: users, keys and files may be gone while a batch runs.
    `create table files (
      id text not null primary key,
      user_id text not null,
      blob_id text not null,
      sha256 text,
      purpose text not null,
      name text not null,
      bytes ${big} not null,
      created_at ${big} not null,
      expires_at ${big}
    ) ${strict}`,
    'create index files_of_user on files (user_id, created_at, id)',
    'create index files_by_blob on files (blob_id)',
    'create index files_expiring on files (expires_at) where expires_at is not null',
    `create table batches (
      id text not null primary key,
      user_id text not null,
      key_id text,
      dialect text not null,
      endpoint text not null,
      completion_window text not null,
      metadata text,
      input_file_id text not null,
      output_file_id text,
      error_file_id text,
      files_expire_ms ${big},
      status text not null,
      outcome text,
      errors text,
      total ${big} not null,
      completed ${big} not null,
      failed ${big} not null,
      undone ${big} not null,
      parts_left ${big} not null,
      has_results integer not null,
      created_at ${big} not null,
      expires_at ${big} not null,
      in_progress_at ${big},
      cancelling_at ${big},
      finalizing_at ${big},
      ended_at ${big}
    ) ${strict}`,
    'create index batches_of_user on batches (user_id, created_at, id)',
    'create index batches_open on batches (expires_at) where ended_at is null',
    'create index batches_ended on batches (ended_at) where ended_at is not null',
    ...workTables(big, strict),
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}

/** What the workers claim, and what they have made. */
function workTables(big: string, strict: string): readonly string[] {
  return [
    // Part 0 is the work on the batch as a whole; the others are pieces of its lines.
    `create table batch_jobs (
      batch_id text not null,
      part ${big} not null,
      user_id text not null,
      first_line ${big} not null,
      position ${big} not null,
      bytes ${big} not null,
      fence ${big} not null,
      worker text,
      lease_until ${big},
      available_at ${big} not null,
      primary key (batch_id, part)
    ) ${strict}`,
    'create index batch_jobs_leased on batch_jobs (user_id) where lease_until is not null',
    `create table batch_results (
      batch_id text not null,
      line ${big} not null,
      is_error integer not null,
      text text not null,
      primary key (batch_id, line)
    ) ${strict}`,
  ]
}
