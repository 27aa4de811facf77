/**
 * Where the bytes of a document lie, how often a server ended while it worked on it, and on PostgreSQL a table that
 * can hold the bytes. Only adds: processes of the version before go on beside it.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the columns, and the table on PostgreSQL. */
export async function documentPlaces(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const statements = [
    'alter table documents add column place text',
    'alter table documents add column crashes integer not null default 0',
    ...(engine === 'postgres' ? bytesTable : []),
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}

const bytesTable: readonly string[] = [
  `create table document_bytes (
    document_id text not null,
    sha256 text not null,
    part integer not null,
    bytes bytea not null,
    primary key (document_id, sha256, part)
  )`,
  // Most files are packed already: compressing them again is time lost.
  'alter table document_bytes alter column bytes set storage external',
  'create index document_bytes_first on document_bytes (document_id, sha256) where part = 0',
]
