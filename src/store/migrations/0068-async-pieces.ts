/** What has come of the streams of async requests, for readers at any process while they are made. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** The version before takes no such streams, and leaves the table alone. */
export async function asyncPieces(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  await sql
    .raw(
      `create table async_pieces (
        batch_id text not null,
        position ${big} not null,
        attempt text not null,
        text text not null,
        primary key (batch_id, position)
      ) ${strict}`,
    )
    .execute(trx)
}
