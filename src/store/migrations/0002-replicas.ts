/**
 * What several processes on one PostgreSQL need to stay equal: who is there, and a log of changes.
 * An SQLite file is served by one process and gets none of it.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

const statements = [
  // Not unlogged, however often it is written: a crash of the server must not forget who is there.
  `create table replicas (
    id text primary key,
    beat uuid not null,
    applied_version bigint not null,
    timeout_ms bigint not null,
    heartbeat_at timestamptz not null
  )`,
  'create table changes (version bigint primary key, entry text not null)',
  'create table change_counter (id integer primary key check (id = 1), version bigint not null)',
  'insert into change_counter (id, version) values (1, 0)',
]

/** Creates the tables of replicas and changes on PostgreSQL. */
export async function replicas(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
