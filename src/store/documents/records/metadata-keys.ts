/** The keys in the metadata of documents: those of the newest, so that the cost has a bound. */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import type { DocumentStore } from '../document-store.ts'
import { canSeeContent } from '../rows/visibility.ts'

/** Documents whose keys are looked at. */
const newestMax = 5000

export async function metadataKeys(
  { engine, kysely }: Connection,
  viewer: Parameters<DocumentStore['metadataKeys']>[0],
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly key: string }>`
    select distinct field.key from (
      select documents.row from documents
      where documents.visible_set is not null and ${canSeeContent(engine, viewer)}
      order by documents.row desc limit ${newestMax}) as newest
    join document_fields as field on field.document_row = newest.row
    order by field.key limit ${limit}`.execute(kysely)
  return rows.map(({ key }) => key)
}
