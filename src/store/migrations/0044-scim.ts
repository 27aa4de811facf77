/** What a provisioning service (SCIM) knows of users and groups beside what everybody has. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables. Users and groups that no such service made have no row. */
export async function scim(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const strict = engine === 'sqlite' ? 'strict' : ''
  const statements = [
    `create table scim_users (
      user_id text not null primary key references users (id) on delete cascade,
      user_name text not null,
      external_id text,
      given_name text not null,
      family_name text not null
    ) ${strict}`,
    // Names are the same in any case.
    'create unique index scim_users_name on scim_users (lower(user_name))',
    'create index scim_users_external on scim_users (external_id) where external_id is not null',
    `create table scim_groups (
      group_id text not null primary key references groups (id) on delete cascade,
      external_id text
    ) ${strict}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
