/** What removing chunks means to the places that hold them, in the transaction that removes them. */
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../schema.ts'
import { tableOf } from './pgvector.ts'
import { vectorPlaces } from '../vector-places.ts'

export interface PlacedSet {
  readonly row: number
  readonly space_row: number
  readonly index_place: number
}

/** Removes some chunks of a set from its place: at once from one in this database, soon from another server. */
export async function removePlaced(trx: Transaction<Tables>, set: PlacedSet, rows: readonly number[]): Promise<void> {
  const { space_row: row, index_place: place } = set
  if (place === vectorPlaces.pgvector) await sql`delete from ${tableOf({ row })} where row = any(${rows})`.execute(trx)
  else await noteRemoval(trx, set)
}

/** Notes that a set is to be removed from its place. */
export async function noteRemoval(trx: Transaction<Tables>, set: PlacedSet): Promise<void> {
  const { row, space_row: space, index_place: place } = set
  if (place === vectorPlaces.memory) return
  await trx
    .insertInto('vector_removals')
    .values({ set_row: row, place, space_row: space })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
