/**
 * What the catalogue of models shows: requests that failed for no fault of the caller, and how fast streams were after
 * their first token. Sums of the time before stay without them.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the sums; versions before this one add nothing to them. */
export async function performance(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const integer = engine === 'sqlite' ? 'integer' : 'bigint'
  const statements = [
    ...['usage_hours', 'usage_days', 'usage_margins'].flatMap((table) =>
      ['failures', 'stream_tokens', 'stream_ms'].map(
        (column) => `alter table ${table} add column ${column} ${integer} not null default 0`,
      ),
    ),
    // The series of some keys, for what each of them was used.
    'create index usage_series_key on usage_series (key_id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
