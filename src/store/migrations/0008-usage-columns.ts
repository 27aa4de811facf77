/**
 * Columns for the kinds of tokens that have prices, the cost and the wait, and what the next step of usage at scale needs
 * so that it holds its lock for a moment only: indexes, and a checked bound on the time of the rows that are there.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Index } from '../migrating/migration.ts'
import type { Tables } from '../schema.ts'
import { pastUntil } from './usage-past.ts'

const names = ['cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost', 'queue_ms'] as const

/** Adds the columns; on PostgreSQL also a bound that is not checked yet. */
export async function usageColumns(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const integer = engine === 'sqlite' ? 'integer' : 'bigint'
  for (const name of names) await add(trx, `${name} ${integer}`)
  await add(trx, 'price_id text')
  if (engine === 'sqlite') return
  // Versions before this one do not write sums: their rows say so later, and are counted then.
  await add(trx, 'uncounted integer')
  const { rows } = await sql<{ any: boolean }>`select exists (select 1 from usage_records) as any`.execute(trx)
  if (rows[0]?.any !== true) return
  const until = await pastUntil(trx)
  await sql
    .raw(`alter table usage_records add constraint usage_past_check check (at < ${until}) not valid`)
    .execute(trx)
}

/** Checks the bound, while others read and write. */
export async function checkUsagePast(trx: Transaction<Tables>, engine: Engine): Promise<null> {
  if (engine === 'sqlite') return null
  const { rows } = await sql`
    select 1 from pg_constraint where conname = 'usage_past_check' and conrelid = to_regclass('usage_records')
  `.execute(trx)
  if (rows.length > 0) await sql`alter table usage_records validate constraint usage_past_check`.execute(trx)
  return null
}

/** One user's errors, the newest first, read no other row; the errors are few. */
export const usageIndexes: readonly Index[] = [
  { name: 'usage_records_errors', on: 'on usage_records (user_id, at) where status >= 400' },
  { name: 'usage_records_uncounted', on: 'on usage_records (id) where uncounted = 1', engine: 'postgres' },
]

async function add(trx: Transaction<Tables>, column: string): Promise<void> {
  await sql.raw(`alter table usage_records add column ${column}`).execute(trx)
}
