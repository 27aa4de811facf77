/** What pages of users show: when each was last seen, from where each session is, and links that invite. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the columns, which the version before leaves empty, and the table of invitations. */
export async function people(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    `alter table users add column seen_at ${big}`,
    `alter table sessions add column seen_at ${big}`,
    'alter table sessions add column agent text',
    'alter table sessions add column address text',
    // One for each user: another link takes the place of the one before.
    `create table invitations (
      user_id text primary key references users (id) on delete cascade,
      digest text not null unique,
      created_at ${big} not null,
      expires_at ${big} not null
    ) ${strict}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
