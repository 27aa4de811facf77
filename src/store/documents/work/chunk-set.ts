/**
 * Sets of chunks. Each is the visible one of its document, or is being staged under the lease that the
 * document's job has now, or is doomed. Whatever ends a lease dooms what was staged under it.
 */
import type { Transaction } from 'kysely'
import type { Tables } from '../../schema.ts'
import type { DocumentRow } from '../rows/document-row.ts'

/** Marks all sets of the document but the visible one as doomed; purging removes them. */
export async function discardSets(
  trx: Transaction<Tables>,
  documentRow: number,
  visibleSet: number | null,
): Promise<void> {
  await trx
    .updateTable('chunk_sets')
    .set({ doomed: 1 })
    .where('document_row', '=', documentRow)
    .where('row', '!=', visibleSet ?? 0)
    .execute()
}

/** The number of a vector space, which is made when it is new. */
export async function spaceRowOf(
  trx: Transaction<Tables>,
  { key, dimensions }: { readonly key: string; readonly dimensions: number },
  embedder: string,
): Promise<number> {
  const known = trx.selectFrom('vector_spaces').select(['row', 'dimensions']).where('key', '=', key)
  let space = await known.executeTakeFirst()
  if (space === undefined) {
    await trx
      .insertInto('vector_spaces')
      .values({ key, dimensions, embedder })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute()
    space = await known.executeTakeFirstOrThrow()
  }
  if (space.dimensions !== dimensions) {
    throw new Error(`The vector space has ${space.dimensions} dimensions; these vectors have ${dimensions}.`)
  }
  return space.row
}

/** The set that is staged under the document's fence, made when it is new. */
export async function setRowOf(trx: Transaction<Tables>, document: DocumentRow, spaceRow: number): Promise<number> {
  const place = { document_row: document.row, fence: document.fence }
  const set = await trx
    .selectFrom('chunk_sets')
    .select(['row', 'space_row'])
    .where('document_row', '=', place.document_row)
    .where('fence', '=', place.fence)
    .executeTakeFirst()
  if (set !== undefined) {
    if (set.space_row !== spaceRow) throw new Error('The chunks of a document belong to one vector space.')
    return set.row
  }
  const made = await trx
    .insertInto('chunk_sets')
    .values({ ...place, space_row: spaceRow, chunks: 0, doomed: 0 })
    .returning('row')
    .executeTakeFirstOrThrow()
  return made.row
}
