/** The audit log: its rows, each with the hash of the row before, and one row that remembers both ends of the chain. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables. Processes of the version before write no rows. */
export async function audit(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    `create table audit_rows (
      seq ${big} not null primary key,
      at ${big} not null,
      action text not null,
      outcome text not null,
      source text not null,
      actor text not null,
      actor_id text,
      key_id text,
      address text not null,
      request_id text not null,
      record text not null,
      details text not null,
      previous text not null,
      hash text not null
    ) ${strict}`,
    'create index audit_rows_actor on audit_rows (actor, seq)',
    'create index audit_rows_record on audit_rows (record, seq)',
    `create table audit_head (
      id integer not null primary key,
      seq ${big} not null,
      hash text not null,
      removed_seq ${big} not null,
      removed_hash text not null
    ) ${strict}`,
    "insert into audit_head (id, seq, hash, removed_seq, removed_hash) values (1, 0, '', 0, '')",
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
