/**
 * Streams of async requests while they are made: pieces of text, which readers at any process follow. They are not results:
 * the end of a stream is one (batch-results.ts), and has all of the text once more.
 */
import { sql, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import type { Tables } from '../schema.ts'
import type { JobLease } from './locked-batch.ts'

/** What has come of a stream since the piece before. */
export interface NewPiece {
  readonly lease: JobLease
  /** Names one try of the call; a next one begins at position 0 and takes the place of this one. */
  readonly attempt: string
  readonly position: number
  readonly text: string
}

export type StoredPiece = Pick<NewPiece, 'attempt' | 'position' | 'text'>

export interface AsyncPieces {
  /** Adds pieces of several streams; those of lost leases are left out. */
  addPieces(pieces: readonly NewPiece[]): Promise<void>
  /** The pieces from this position on, in their order. */
  pieces(batchId: string, from: number): Promise<readonly StoredPiece[]>
}

const readAtOnce = 100

/** The pieces in this database. */
export function asyncPieces({ kysely, engine }: Database): AsyncPieces {
  const integer = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint')
  const add = async (trx: Transaction<Tables>, { lease, attempt, position, text }: NewPiece): Promise<void> => {
    const { batchId, part, fence } = lease
    // No lock: a worker that loses its lease at this moment leaves a piece that the next one removes.
    const held = sql`from batch_jobs where batch_id = ${batchId} and part = ${part} and fence = ${fence}
      and lease_until is not null`
    if (position === 0)
      await sql`delete from async_pieces where batch_id = ${batchId} and exists (select 1 ${held})`.execute(trx)
    await sql`insert into async_pieces (batch_id, position, attempt, text)
      select batch_id, cast(${position} as ${integer}), cast(${attempt} as text), cast(${text} as text) ${held}`.execute(
      trx,
    )
  }
  return {
    addPieces: (pieces) =>
      kysely.transaction().execute(async (trx) => {
        for (const piece of pieces) await add(trx, piece)
      }),
    pieces: (batchId, from) =>
      kysely
        .selectFrom('async_pieces')
        .select(['attempt', 'position', 'text'])
        .where('batch_id', '=', batchId)
        .where('position', '>=', from)
        .orderBy('position')
        .limit(readAtOnce)
        .execute(),
  }
}

/** The stream is a result by now, or there will be none. */
export async function removePieces(trx: Transaction<Tables>, batchId: string): Promise<void> {
  await trx.deleteFrom('async_pieces').where('batch_id', '=', batchId).execute()
}
