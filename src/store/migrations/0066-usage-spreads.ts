/**
 * How long requests took, as histograms by hour and by day, of everything and of each model and provider: percentiles
 * are read from them. Requests of before have none, and nor do those that an older version writes.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Makes the table. */
export async function usageSpreads(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, clustered] = engine === 'sqlite' ? ['integer', 'strict, without rowid'] : ['bigint', '']
  await sql
    .raw(
      `create table usage_spreads (hours integer not null, margin text not null, at ${big} not null, name text not null,
        durations text not null, first_tokens text not null, primary key (hours, margin, at, name)) ${clustered}`,
    )
    .execute(trx)
}
