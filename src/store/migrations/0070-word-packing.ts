/**
 * How far the words of chunks that were stored without them have been packed. A start does not wait for it: a million
 * chunks take minutes.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Adds the table, with all to do where chunks may be without their words. */
export async function wordPacking(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, strict] = engine === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  const create = `create table word_packing (
    id integer not null primary key,
    after_row ${big} not null,
    again integer not null,
    done integer not null
  ) ${strict}`
  await sql.raw(create).execute(trx)
  // On PostgreSQL, a process of the version before may store some without them from now on.
  const done = engine === 'sqlite' ? sql`case when exists (select 1 from chunk_sets) then 0 else 1 end` : sql`0`
  await sql`insert into word_packing (id, after_row, again, done) values (1, 0, 0, ${done})`.execute(trx)
}
