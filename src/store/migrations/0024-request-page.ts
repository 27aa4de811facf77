/**
 * What the page of a request and the overview show: when the last call of a provider began, and how long streams took
 * to their first token. Sums of the time before stay without the latter: means are of the streams that are counted.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the columns; versions before this one fill none of them. */
export async function requestPage(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const integer = engine === 'sqlite' ? 'integer' : 'bigint'
  const statements = [
    `alter table usage_records add column called_ms ${integer}`,
    ...['usage_hours', 'usage_days'].flatMap((table) => [
      `alter table ${table} add column first_tokens ${integer} not null default 0`,
      `alter table ${table} add column first_token_ms ${integer} not null default 0`,
    ]),
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
