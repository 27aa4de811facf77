/** Which provider holds an answer of the Responses API, or a conversation, and for whom. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the table of answers that providers keep. */
export async function responses(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    // No foreign keys: rows are written behind their request, when any of the others may be gone.
    // The user is part of the key, so that a provider's id never decides whose row it is.
    `create table stored_responses (
      id text not null,
      user_id text not null,
      provider_id text not null,
      model_id text not null,
      usage_due integer not null,
      created_at ${big} not null,
      primary key (id, user_id)
    ) ${strict}`,
    'create index stored_responses_created on stored_responses (created_at)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
