/** Codes of vectors are made with a centre: the mean of the first vectors of a space, which all of them have in common. */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the centres, and to each row of codes its centre and its scales; codes without them stay as they are. */
export async function search(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const { big, serial, bytes, strict } =
    engine === 'sqlite'
      ? { big: 'integer', serial: 'integer primary key autoincrement', bytes: 'blob', strict: 'strict' }
      : { big: 'bigint', serial: 'bigint generated always as identity primary key', bytes: 'bytea', strict: '' }
  for (const statement of [
    `create table vector_centres (
      row ${serial},
      space_row ${big} not null references vector_spaces (row),
      centre ${bytes} not null
    ) ${strict}`,
    'create index vector_centres_space on vector_centres (space_row)',
    `alter table chunk_codes add column centre_row ${big}`,
    `alter table chunk_codes add column scales ${bytes}`,
  ]) {
    await sql.raw(statement).execute(trx)
  }
}
