/**
 * Where the vectors of each set of chunks are searched, and what is still to be removed from places outside of the
 * database. A process of the version before searches all of them in memory, where they remain.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Index } from '../migrating/migration.ts'
import type { Tables } from '../schema.ts'

/** Adds the columns and the outbox. */
export async function vectorPlaces(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  const [big, small, strict] = engine === 'sqlite' ? ['integer', 'integer', 'strict'] : ['bigint', 'smallint', '']
  for (const statement of [
    `alter table chunk_sets add column index_place ${small} not null default 0`,
    `alter table chunk_sets add column index_state ${small} not null default 0`,
    `create table vector_removals (
      set_row ${big} not null,
      place ${small} not null,
      space_row ${big} not null,
      primary key (set_row, place)
    ) ${strict}`,
  ])
    await sql.raw(statement).execute(trx)
}

/** For finding what has not been moved yet, and what is to be moved back. */
export const vectorPlaceIndexes: readonly Index[] = [
  { name: 'chunk_sets_not_ready', on: 'on chunk_sets (row) where index_state < 2' },
  { name: 'chunk_sets_placed', on: 'on chunk_sets (index_place) where index_place > 0' },
]
