/**
 * What several processes on one PostgreSQL need to keep limits together: the members of the ledger of limits
 * (src/limits/roster.ts), its shared place, and failed sign-ins. An SQLite file is served by one process,
 * which keeps all of it in memory.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

const statements = [
  `create table limit_roster (
    id integer primary key check (id = 1),
    installation text not null,
    epoch bigint not null,
    members text not null,
    token text
  )`,
  "insert into limit_roster (id, installation, epoch, members) values (1, gen_random_uuid()::text, 0, '[]')",
  `create table limit_members (
    name text primary key,
    replica_id text not null,
    epoch bigint not null,
    excesses text not null
  )`,
  // Unlogged: what a crash of the server empties has lost its token, too, and is not trusted any more.
  'create unlogged table limit_place (id integer primary key check (id = 1), epoch bigint not null, token text not null)',
  'create unlogged table limit_place_batches (member text primary key, seq bigint not null)',
  `create unlogged table limit_place_claims (
    row_key text primary key,
    amount bigint not null
  )`,
  `create table sign_in_counts (
    key text primary key,
    failures integer not null,
    locked_until double precision not null,
    has_waited smallint not null
  )`,
  'create index sign_in_counts_by_age on sign_in_counts (locked_until)',
]

/** Creates the tables on PostgreSQL. */
export async function limits(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
