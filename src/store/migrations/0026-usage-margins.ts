/**
 * Sums of usage for everything, and for each user, model and provider alone: reports read them instead of adding up all
 * that occurs together. A released version that is older writes no sums at all; its rows get all of them later.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

const sums = ['requests', 'errors', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cache_write_tokens']
const more = [
  'reasoning_tokens',
  'request_bytes',
  'response_bytes',
  'duration_ms',
  'cost',
  'first_tokens',
  'first_token_ms',
]
const names = { all: "''", user: 's.user_id', model: 's.model', provider: 's.provider' }

/** Makes the table and fills it from the sums that are there. */
export async function usageMargins(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, clustered] = engine === 'sqlite' ? ['integer', 'strict, without rowid'] : ['bigint', '']
  const columns = [...sums, ...more]
  const values = columns.map((column) => `cast(sum(${column}) as bigint)`).join(', ')
  const statements = [
    `create table usage_margins (hours integer not null, margin text not null, at ${big} not null, name text not null,
      ${columns.map((column) => `${column} ${big} not null`).join(', ')},
      primary key (hours, margin, at, name)) ${clustered}`,
    ...Object.entries(names).flatMap(([margin, name]) =>
      [
        [1, 'usage_hours'],
        [24, 'usage_days'],
      ].map(
        ([hours, table]) =>
          `insert into usage_margins (hours, margin, at, name, ${columns.join(', ')})
          select ${hours}, '${margin}', at, ${name}, ${values}
          from ${table} join usage_series s on s.row = series group by 3, 4`,
      ),
    ),
  ]
  for (const statement of statements) await sql.raw(statement).execute(trx)
}
