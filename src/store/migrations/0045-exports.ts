/** Files of usage and cost for finance: which periods were exported, and the files of each. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables. Processes of the version before export nothing. */
export async function usageExports(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    // One row for each period and version, whichever process comes first.
    `create table usage_exports (
      id text not null primary key,
      period text not null,
      starts_at ${big} not null,
      ends_at ${big} not null,
      time_zone text not null,
      version ${big} not null,
      state text not null,
      error text,
      row_count ${big},
      requests ${big},
      cost ${big},
      created_at ${big} not null,
      finished_at ${big},
      unique (period, starts_at, version)
    ) ${strict}`,
    "create index usage_exports_pending on usage_exports (created_at) where state = 'pending'",
    `create table usage_export_files (
      export_id text not null references usage_exports (id) on delete cascade,
      format text not null,
      blob_id text not null,
      sha256 text not null,
      bytes ${big} not null,
      primary key (export_id, format)
    ) ${strict}`,
    'create index usage_export_files_blob on usage_export_files (blob_id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
