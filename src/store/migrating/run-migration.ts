/**
 * Runs one migration, step by step: its transaction, its batches, its indexes. Each step leaves a trace, so that
 * whatever ends the process, the next one goes on behind the last finished step.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import { pause } from '#lib/loop.ts'
import type { Engine } from '../database.ts'
import { isLockTimeout, StoreUnavailable } from '../errors.ts'
import type { Tables } from '../schema.ts'
import { lockTimeoutMs, type Index, type Migration } from './migration.ts'

export interface RunOptions {
  /** Times that a transaction asks for its locks. */
  readonly attemptsMax: number
  readonly signal: AbortSignal
  /** A lock was not free; it is asked for again. */
  readonly onBlocked: (migration: Migration, error: unknown) => void
}

/** `waits`: a contract step, while processes run whose code is older than it needs. */
export type Outcome = 'done' | 'waits'

const blockedPauseMs = 1000

/**
 * Finishes one migration, from wherever it was left. The caller holds the migration lock. In a transaction, which is for a
 * new database, all steps are part of that.
 */
export async function runMigration(
  kysely: Kysely<Tables>,
  engine: Engine,
  migration: Migration,
  options: RunOptions,
): Promise<Outcome> {
  const step = <T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> =>
    isTransaction(kysely) ? work(kysely) : patiently(migration, options, () => withoutLongLocks(kysely, engine, work))
  const begun = await step((trx) => begin(trx, engine, migration))
  if (begun !== 'begun') return begun
  while (await step((trx) => fillOnce(trx, engine, migration))) goOn(options.signal)
  const indexes = migration.indexes?.filter((index) => index.engine === undefined || index.engine === engine) ?? []
  for (const index of indexes) await buildIndex(kysely, engine, index)
  await step((trx) => finish(trx, migration))
  return 'done'
}

function isTransaction(kysely: Kysely<Tables>): kysely is Transaction<Tables> {
  return kysely.isTransaction
}

function goOn(signal: AbortSignal): void {
  if (signal.aborted) throw new StoreUnavailable('its migration was interrupted; the next start goes on with it')
}

async function begin(trx: Transaction<Tables>, engine: Engine, migration: Migration): Promise<Outcome | 'begun'> {
  const { version } = migration
  // Another process on the same SQLite file may have been faster.
  if ((await trx.selectFrom('schema_migrations').select('version').where('version', '=', version).execute()).length > 0)
    return 'done'
  if ((await trx.selectFrom('schema_progress').select('version').where('version', '=', version).execute()).length > 0)
    return 'begun'
  if (migration.kind === 'contract' && !(await raise(trx, engine, migration.needs))) return 'waits'
  await migration.run?.(trx, engine)
  if (migration.backfill === undefined && migration.indexes === undefined) {
    await finish(trx, migration)
    return 'done'
  }
  const filled = migration.backfill === undefined ? 1 : 0
  await trx.insertInto('schema_progress').values({ version, position: null, filled }).execute()
  return 'begun'
}

/**
 * Closes the database to code that knows less, unless a process runs that does. A process that registers shares the
 * row's lock until its registration is committed (replicas.ts): it is either seen here, or sees the new value.
 */
async function raise(trx: Transaction<Tables>, engine: Engine, needs: number): Promise<boolean> {
  const range = await trx
    .selectFrom('schema_range')
    .select('needs')
    .$if(engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow()
  if (engine === 'postgres' && (await olderProcesses(trx, needs)).length > 0) return false
  await trx
    .updateTable('schema_range')
    .set({ needs: Math.max(range.needs, needs) })
    .execute()
  return true
}

/** Ids of the processes on this PostgreSQL whose code knows less than this schema. */
export async function olderProcesses(kysely: Kysely<Tables>, needs: number): Promise<readonly string[]> {
  const rows = await kysely.selectFrom('replicas').select('id').where('schema_version', '<', needs).execute()
  return rows.map(({ id }) => id)
}

/** One batch and the place where it ended, together. False when there is none left. */
async function fillOnce(trx: Transaction<Tables>, engine: Engine, { version, backfill }: Migration): Promise<boolean> {
  if (backfill === undefined) return false
  const at = await trx
    .selectFrom('schema_progress')
    .select(['position', 'filled'])
    .where('version', '=', version)
    .$if(engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  if (at === undefined || at.filled === 1) return false
  const position = await backfill(trx, engine, at.position)
  const filled = position === null ? 1 : 0
  await trx.updateTable('schema_progress').set({ position, filled }).where('version', '=', version).execute()
  return position !== null
}

/** `concurrently` waits for transactions and holds none up. What a killed process left unfinished is built again. */
async function buildIndex(kysely: Kysely<Tables>, engine: Engine, { name, on, unique = false }: Index): Promise<void> {
  const kind = sql.raw(unique ? 'unique index' : 'index')
  if (engine === 'sqlite' || kysely.isTransaction) {
    await sql`create ${kind} if not exists ${sql.id(name)} ${sql.raw(on)}`.execute(kysely)
    return
  }
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index
    where indexrelid = to_regclass(quote_ident(current_schema()) || '.' || quote_ident(${name}))`.execute(kysely)
  if (rows[0]?.valid === true) return
  if (rows.length > 0) await sql`drop index concurrently ${sql.id(name)}`.execute(kysely)
  await sql`create ${kind} concurrently ${sql.id(name)} ${sql.raw(on)}`.execute(kysely)
}

async function finish(trx: Transaction<Tables>, { version, name }: Migration): Promise<void> {
  await trx.deleteFrom('schema_progress').where('version', '=', version).execute()
  await trx
    .insertInto('schema_migrations')
    .values({ version, name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

function withoutLongLocks<T>(
  kysely: Kysely<Tables>,
  engine: Engine,
  work: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return kysely.transaction().execute(async (trx) => {
    if (engine === 'postgres') await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(trx)
    return work(trx)
  })
}

/** Tries again while a lock is not free, after a pause in which those who waited behind it are served. */
async function patiently<T>(migration: Migration, options: RunOptions, step: () => Promise<T>): Promise<T> {
  const { attemptsMax, signal, onBlocked } = options
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step()
    } catch (error) {
      if (!isLockTimeout(error) || attempt >= attemptsMax || signal.aborted) throw error
      onBlocked(migration, error)
      await pause(blockedPauseMs * (0.5 + Math.random() / 2), signal)
    }
  }
}
