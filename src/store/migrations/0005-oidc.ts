/** Whom an OpenID Connect issuer means by a subject, and what the user has because the issuer said so. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the table that links users to subjects of issuers. */
export async function oidc(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    // An address that an issuer gives to another person must not become theirs here: one subject per user.
    `create table oidc_identities (
      issuer text not null,
      subject text not null,
      user_id text not null references users (id) on delete cascade,
      group_ids text not null,
      made_admin integer not null,
      created_at ${big} not null,
      last_sign_in_at ${big} not null,
      primary key (issuer, subject)
    ) ${strict}`,
    'create unique index oidc_identities_user on oidc_identities (user_id, issuer)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
