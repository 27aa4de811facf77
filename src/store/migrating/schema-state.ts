/**
 * What a database says about its schema: the migrations that it has had, how far one is that has begun, and the oldest
 * code that it still works with. Version 0.1 of Sluice wrote `schema_migrations` only.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** The database needs code that knows more than this one. */
export class StoreTooNew extends Error {
  constructor(needs: number, known: number) {
    super(
      `A newer version of Sluice has changed the database so that this version cannot use it (it needs schema ${needs}; this version knows ${known}). ` +
        'Start that version again, or restore a backup that was made before the upgrade.',
    )
    this.name = 'StoreTooNew'
  }
}

export interface SchemaState {
  /** Versions of the migrations that are done. */
  readonly applied: ReadonlySet<number>
  /** Code that knows less than this schema is refused. */
  readonly needs: number
  /** Whether there is a place for all of this. */
  readonly prepared: boolean
}

/** Reads without a lock, from a database of any version and from an empty one. */
export async function readSchemaState(kysely: Kysely<Tables>, engine: Engine): Promise<SchemaState> {
  const [hasMigrations, prepared] = await Promise.all([
    hasTable(kysely, engine, 'schema_migrations'),
    hasTable(kysely, engine, 'schema_range'),
  ])
  const rows = hasMigrations ? await kysely.selectFrom('schema_migrations').select('version').execute() : []
  const range = prepared ? await kysely.selectFrom('schema_range').select('needs').executeTakeFirst() : undefined
  return { applied: new Set(rows.map(({ version }) => version)), needs: range?.needs ?? 0, prepared }
}

async function hasTable(kysely: Kysely<Tables>, engine: Engine, name: string): Promise<boolean> {
  const { rows } =
    engine === 'sqlite'
      ? await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(kysely)
      : await sql`select 1 from pg_tables where schemaname = current_schema() and tablename = ${name}`.execute(kysely)
  return rows.length > 0
}

const tables = [
  'create table if not exists schema_migrations (version integer primary key, name text not null)',
  // One row. A process that registers shares its lock, a contract step takes it alone: neither overlooks the other.
  'create table if not exists schema_range (id integer primary key check (id = 1), needs integer not null)',
  'insert into schema_range (id, needs) values (1, 0) on conflict do nothing',
  // A migration that has begun and is not done.
  'create table if not exists schema_progress (version integer primary key, position text, filled integer not null)',
]

/** Makes the tables of this file. The caller holds the migration lock. */
export async function prepareSchemaState(trx: Transaction<Tables>): Promise<void> {
  for (const statement of tables) await sql.raw(statement).execute(trx)
}
