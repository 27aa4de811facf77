/**
 * Usage at scale: columns for prices, sums by hour and day, the journal's batches; on PostgreSQL rows in daily
 * partitions. The rows that are there already become one partition as they are: nothing is copied.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

const dayMs = 86_400_000
/** Where there are rows, those of so many days more go to the old table: a change-over that is broken off must not refuse any. */
const marginDays = 31

const columns = {
  cached_tokens: 'big',
  cache_write_tokens: 'big',
  reasoning_tokens: 'big',
  cost: 'big',
  price_id: 'text',
  queue_ms: 'big',
} as const

/** Makes the tables of sums, and the partitions. */
export async function usageScale(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const statements = engine === 'sqlite' ? sqliteStatements() : postgresStatements(await pastUntil(trx))
  for (const statement of statements) await sql.raw(statement).execute(trx)
}

function sqliteStatements(): readonly string[] {
  return [
    ...addedColumns('usage_records', 'integer'),
    errorsIndex('usage_records', 'usage_records_errors'),
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
    ...['at', 'user', 'key', 'model'].map((name) => `alter index usage_records_${name} rename to usage_past_${name}`),
    ...addedColumns('usage_past', 'bigint'),
    'alter table usage_past add column if not exists uncounted integer',
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
    errorsIndex('usage_records', 'usage_records_errors'),
    uncountedIndex('usage_records', 'usage_records_uncounted'),
    `alter table usage_records attach partition usage_past for values from (minvalue) to (${until})`,
    ...sumTables('bigint', 'integer generated always as identity primary key', '', ''),
    `insert into usage_backfill (id, remaining, boundary, past_until)
      select 1, coalesce(max(id), 0), coalesce(max(id), 0), ${until} from usage_past`,
  ]
}

/** @param big the engine's 64-bit integer */
function addedColumns(table: string, big: string): readonly string[] {
  const onlyMissing = big === 'bigint' ? 'if not exists ' : ''
  return Object.entries(columns).map(
    ([name, type]) => `alter table ${table} add column ${onlyMissing}${name} ${type === 'big' ? big : type}`,
  )
}

/** One user's errors, the newest first, read no other row; the errors are few. */
function errorsIndex(table: string, name: string): string {
  return `create index ${name} on ${table} (user_id, at) where status >= 400`
}

function uncountedIndex(table: string, name: string): string {
  return `create index ${name} on ${table} (id) where uncounted = 1`
}

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

/**
 * What takes long on many rows, before the tables change places: indexes are built and rows are checked
 * while others read and write. PostgreSQL only.
 */
export async function prepareUsageScale(kysely: Kysely<Tables>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(kysely)
  const { rows } = await sql<{ any: boolean }>`select exists (select 1 from usage_records) as any`.execute(kysely)
  if (rows[0]?.any !== true) return
  for (const text of [
    ...addedColumns('usage_records', 'bigint'),
    'alter table usage_records add column if not exists uncounted integer',
  ]) {
    await soon(kysely, text)
  }
  for (const [name, text] of Object.entries(prepared)) {
    // One that was broken off is there, but not valid.
    await run(`drop index concurrently if exists ${name}`)
    await run(text)
  }
  await soon(kysely, 'alter table usage_records drop constraint if exists usage_past_check')
  const until = await pastUntil(kysely)
  await soon(kysely, `alter table usage_records add constraint usage_past_check check (at < ${until}) not valid`)
  await run('alter table usage_records validate constraint usage_past_check')
}

const prepared = {
  usage_past_errors: errorsIndex('usage_records', 'usage_past_errors').replace('index', 'index concurrently'),
  usage_past_uncounted: uncountedIndex('usage_records', 'usage_past_uncounted').replace('index', 'index concurrently'),
}

/** A statement whose lock others wait behind: it gives up soon and tries again, so that they wait for a second at most. */
async function soon(kysely: Kysely<Tables>, text: string): Promise<void> {
  await sql.raw("set lock_timeout = '1s'").execute(kysely)
  try {
    while (!(await lockedInTime(kysely, text))) continue
  } finally {
    await sql.raw('set lock_timeout = default').execute(kysely)
  }
}

async function lockedInTime(kysely: Kysely<Tables>, text: string): Promise<boolean> {
  try {
    await sql.raw(text).execute(kysely)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === '55P03') return false
    throw thrown
  }
}

/** The first moment that no row of the old table may have: as its constraint says when there is one. */
async function pastUntil(kysely: Kysely<Tables>): Promise<number> {
  const existing = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint
    where conname = 'usage_past_check' and conrelid = to_regclass('usage_records')`.execute(kysely)
  const bound = /(\d+)/.exec(existing.rows[0]?.text ?? '')?.[1]
  if (bound !== undefined) return Number(bound)
  const { rows } = await sql<{ latest: number | null; now: number }>`
    select max(at) as latest, (extract(epoch from now()) * 1000)::bigint as now from usage_records`.execute(kysely)
  const { latest = null, now = 0 } = rows[0] ?? {}
  const days = latest === null ? Math.floor(now / dayMs) : Math.floor(Math.max(latest, now) / dayMs) + marginDays
  return days * dayMs
}

/** Without the constraint, PostgreSQL would read all rows while the table is locked. */
function pastCheck(until: number): string {
  return `do $$ begin
    if not exists (select 1 from pg_constraint where conname = 'usage_past_check' and conrelid = to_regclass('usage_past')) then
      alter table usage_past add constraint usage_past_check check (at < ${until});
    end if;
  end $$`
}
