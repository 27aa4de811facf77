/** Logged prompts and answers, sealed, and how many bytes of them each day has. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the tables. Processes of the version before write no rows. */
export async function contentLogs(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const statements = [
    // No foreign keys: users, keys and models may be gone while content of theirs is written, and after it.
    // The sealed texts come last, so that a list reads none of their pages.
    `create table content_logs (
      id text not null primary key,
      at ${big} not null,
      request_id text not null,
      user_id text not null,
      key_id text,
      model text not null,
      endpoint text not null,
      status ${big} not null,
      code text,
      request_cut integer not null,
      answer_cut integer not null,
      bytes ${big} not null,
      request text not null,
      answer text
    ) ${strict}`,
    'create index content_logs_at on content_logs (at, id)',
    'create index content_logs_request on content_logs (request_id)',
    'create index content_logs_user on content_logs (user_id, at, id)',
    'create index content_logs_model on content_logs (model, at, id)',
    `create table content_log_days (
      day ${big} not null primary key,
      bytes ${big} not null
    ) ${strict}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
