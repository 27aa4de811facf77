/** Removes documents and chunks: the record in one step, the chunks in slices between which others can write. */
import { sql, type Transaction } from 'kysely'
import type { Connection } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import { logChanges } from '../rows/changes.ts'
import { nameRow, rowsOf } from '../rows/chunk-row.ts'
import { needsRowLocks } from '../rows/document-row.ts'
import type { Viewer } from '../document-store.ts'
import { removePlaced } from '../places/removed-sets.ts'
import { plainText } from '../plain-text.ts'
import { mergeWords } from './staging.ts'
import { isOneOf } from '../statements.ts'
import { canSeeRecord } from '../rows/visibility.ts'

/** Chunks of one transaction: a few milliseconds of SQLite's write lock. */
const purgeMax = 250

export interface RemovedRecord {
  /** Number of the document whose sets are to be purged. */
  readonly row: number
  readonly sha256: readonly string[]
}

export interface DocumentRemoval {
  /** Removes a document's record and job and dooms its chunks; null when there is none. */
  removeRecord(id: string, viewer: Viewer): Promise<RemovedRecord | null>
  /** Removes some doomed chunks, of one document if given; returns how many rows, 0 when none is left. */
  purgeSome(documentRow: number | null): Promise<number>
}

/** Removal in this database. */
export function documentRemoval(connection: Connection): DocumentRemoval {
  const { engine, kysely } = connection
  return {
    removeRecord: (id, viewer) =>
      kysely.transaction().execute((trx) => removeRecord({ engine, kysely: trx }, trx, id, viewer)),
    async purgeSome(documentRow) {
      const purged = await kysely.transaction().execute((trx) => purge(connection, trx, documentRow))
      if (engine === 'sqlite' && purged > 0 && documentRow === null) await mergeWords(connection)
      return purged
    },
  }
}

async function removeRecord(
  { engine }: Connection,
  trx: Transaction<Tables>,
  id: string,
  viewer: Viewer,
): Promise<RemovedRecord | null> {
  let query = trx
    .selectFrom('documents')
    .select(['row', 'sha256', 'visible_sha256', 'visible_set'])
    .where('id', '=', plainText(id))
    .where(canSeeRecord(engine, viewer))
  if (needsRowLocks(engine)) query = query.forUpdate()
  const document = await query.executeTakeFirst()
  if (document === undefined) return null
  const { row, sha256, visible_sha256: visible, visible_set: visibleSet } = document
  await trx.updateTable('chunk_sets').set({ doomed: 1 }).where('document_row', '=', row).execute()
  // Owners and the job go with it.
  await trx.deleteFrom('documents').where('row', '=', row).execute()
  await logChanges(trx, [visibleSet])
  return { row, sha256: [...new Set(visible === null ? [sha256] : [sha256, visible])] }
}

async function purge({ engine }: Connection, trx: Transaction<Tables>, documentRow: number | null): Promise<number> {
  let query = trx
    .selectFrom('chunk_sets')
    .select(['row', 'space_row', 'index_place'])
    .where('doomed', '=', 1)
    .orderBy('row')
    .limit(1)
  if (documentRow !== null) query = query.where('document_row', '=', documentRow)
  // A deletion of one document waits for others that purge it; background purging skips what is locked.
  if (needsRowLocks(engine)) query = documentRow === null ? query.forUpdate().skipLocked() : query.forUpdate()
  const set = await query.executeTakeFirst()
  if (set === undefined) return 0
  const { from, to } = rowsOf(set.row)
  const rows = await trx
    .selectFrom('document_chunks')
    .select('row')
    .where('row', '>=', from)
    .where('row', '<', to)
    .orderBy('row')
    .limit(purgeMax)
    .execute()
  const numbers = rows.map(({ row }) => row)
  for (const table of ['document_chunks', 'chunk_vectors'] as const) {
    await trx
      .deleteFrom(table)
      .where(isOneOf(engine, 'row', numbers))
      .execute()
  }
  await removePlaced(trx, set, numbers)
  const column = engine === 'sqlite' ? 'rowid' : 'row'
  const named = nameRow(set.row)
  await sql`delete from chunk_terms where ${isOneOf(engine, column, [...numbers, named])}`.execute(trx)
  await trx
    .deleteFrom('chunk_words')
    .where(isOneOf(engine, 'row', [...numbers, named]))
    .execute()
  if (numbers.length === purgeMax) return numbers.length
  await trx.deleteFrom('chunk_codes').where('set_row', '=', set.row).execute()
  await trx.deleteFrom('chunk_sets').where('row', '=', set.row).execute()
  return numbers.length + 1
}
