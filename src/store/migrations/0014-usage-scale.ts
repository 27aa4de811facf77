/**
 * Usage at scale: sums by hour and day, the journal's batches; on PostgreSQL rows in daily partitions. The rows that are
 * there already become one partition as they are: nothing is copied.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'
import { pastUntil } from './usage-past.ts'

/** Makes the tables of sums, and the partitions. */
export async function usageScale(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const statements = engine === 'sqlite' ? sqliteStatements() : postgresStatements(await pastUntil(trx))
  for (const statement of statements) await sql.raw(statement).execute(trx)
}

function sqliteStatements(): readonly string[] {
  return [
    ...sumTables('integer', 'integer primary key', 'strict, without rowid', 'strict'),
    `insert into usage_backfill (id, remaining, boundary, past_until)
      select 1, coalesce(max(id), 0), coalesce(max(id), 0), 0 from usage_records`,
  ]
}

function postgresStatements(until: number): readonly string[] {
  return [
    // Waits for the batches that are being written; later ones find the new table under the old name.
    'lock table usage_records in access exclusive mode',
    'alter table usage_records rename to usage_past',
    'alter index usage_records_pkey rename to usage_past_pkey',
    ...['at', 'user', 'key', 'model', 'errors', 'uncounted'].map(
      (name) => `alter index usage_records_${name} rename to usage_past_${name}`,
    ),
    'alter table usage_past alter column id drop identity if exists',
    pastCheck(until),
    'create sequence usage_record_ids as bigint',
    "select setval('usage_record_ids', (select coalesce(max(id), 0) + 1 from usage_past), false)",
    'create table usage_records (like usage_past) partition by range (at)',
    "alter table usage_records alter column id set default nextval('usage_record_ids')",
    'alter sequence usage_record_ids owned by usage_records.id',
    // Versions before this one do not write sums: their rows say so, and are counted later.
    'alter table usage_records alter column uncounted set default 1',
    'create index usage_records_at on usage_records (at)',
    'create index usage_records_user on usage_records (user_id, at)',
    'create index usage_records_key on usage_records (key_id, at)',
    'create index usage_records_model on usage_records (model_served, at)',
    'create index usage_records_errors on usage_records (user_id, at) where status >= 400',
    'create index usage_records_uncounted on usage_records (id) where uncounted = 1',
    `alter table usage_records attach partition usage_past for values from (minvalue) to (${until})`,
    ...sumTables('bigint', 'integer generated always as identity primary key', '', ''),
    `insert into usage_backfill (id, remaining, boundary, past_until)
      select 1, coalesce(max(id), 0), coalesce(max(id), 0), ${until} from usage_past`,
  ]
}

/** @param big the engine's 64-bit integer */
function sumTables(big: string, serial: string, clustered: string, strict: string): readonly string[] {
  const sums = ['requests', 'errors', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cache_write_tokens']
  const more = ['reasoning_tokens', 'request_bytes', 'response_bytes', 'duration_ms', 'cost']
  const sumColumns = [...sums, ...more].map((name) => `${name} ${big} not null`).join(', ')
  return [
    `create table usage_series (
      row ${serial},
      user_id text not null,
      key_id text not null,
      model text not null,
      provider text not null,
      unique (user_id, key_id, model, provider)
    ) ${strict}`,
    ...['usage_hours', 'usage_days'].map(
      (table) =>
        `create table ${table} (at ${big} not null, series integer not null, ${sumColumns}, primary key (at, series)) ${clustered}`,
    ),
    `create table usage_backfill (
      id integer primary key check (id = 1),
      remaining ${big} not null,
      boundary ${big} not null,
      past_until ${big} not null
    ) ${strict}`,
    `create table usage_batches (
      journal text not null,
      first ${big} not null,
      last ${big} not null,
      primary key (journal, first)
    ) ${clustered}`,
  ]
}

/** Without the constraint, PostgreSQL would read all rows while the table is locked. */
function pastCheck(until: number): string {
  return `do $$ begin
    if not exists (select 1 from pg_constraint where conname = 'usage_past_check' and conrelid = to_regclass('usage_past')) then
      alter table usage_past add constraint usage_past_check check (at < ${until});
    end if;
  end $$`
}
