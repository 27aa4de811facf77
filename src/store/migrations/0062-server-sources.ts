/** Sources that the server itself looks at, on a schedule. What it has of their files is in the documents. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Creates the table. Processes of the version before look at nothing. */
export async function serverSources(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, small, strict] = engine === 'sqlite' ? ['integer', 'integer', 'strict'] : ['bigint', 'smallint', '']
  await sql
    .raw(
      `create table sources (
        id text not null primary key,
        name text not null unique,
        kind text not null,
        url text not null,
        options text not null,
        credential text,
        user_id text not null,
        category text not null,
        owners text,
        every_minutes ${big} not null,
        enabled ${small} not null,
        due_at ${big} not null,
        begun_at ${big},
        last_run text,
        created_at ${big} not null
      ) ${strict}`,
    )
    .execute(trx)
}
