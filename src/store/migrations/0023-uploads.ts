/** Uploads of files in parts. The parts are rows of `files` until they are one. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the table. */
export async function uploads(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    // No foreign key, as in files: the account may go in the meantime.
    `create table uploads (
      id text not null primary key,
      user_id text not null,
      purpose text not null,
      name text not null,
      bytes ${big} not null,
      life_ms ${big},
      status text not null,
      created_at ${big} not null,
      expires_at ${big} not null
    ) ${strict}`,
    'create index uploads_of_user on uploads (user_id)',
    'create index uploads_expiring on uploads (expires_at)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
