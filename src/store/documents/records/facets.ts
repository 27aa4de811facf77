/** Counts documents by the values in their metadata. */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import type { DocumentStore } from '../document-store.ts'
import { fieldKinds, valueOf, type MetadataField } from '../metadata/metadata.ts'
import { plainText } from '../plain-text.ts'
import { isOneOf } from '../statements.ts'
import { canSeeContent, matchesFilter } from '../rows/visibility.ts'

const counted = [fieldKinds.text, fieldKinds.number, fieldKinds.truth, fieldKinds.nothing]

/** The most frequent values of each key. Costs as much as the documents that have the keys. */
export async function facetsOf(
  { engine, kysely }: Connection,
  { viewer, filter, keys, limit }: Parameters<DocumentStore['facets']>[0],
): ReturnType<DocumentStore['facets']> {
  const { rows } = await sql<MetadataField & { readonly documents: number }>`
    select key, kind, text, number, documents from (
      select field.key, field.kind, field.text, field.number, count(distinct field.document_row) as documents,
        row_number() over (
          partition by field.key
          order by count(distinct field.document_row) desc, field.kind, field.text, field.number) as place
      from document_fields as field join documents on documents.row = field.document_row
      where ${isOneOf(engine, 'field.key', keys.map(plainText))} and ${isOneOf(engine, 'field.kind', counted)}
        and documents.visible_set is not null
        and ${canSeeContent(engine, viewer)} and ${matchesFilter(engine, filter)}
      group by field.key, field.kind, field.text, field.number) as counts
    where place <= ${limit} order by key, place`.execute(kysely)
  return rows.map(({ key, documents, ...field }) => ({ key, value: valueOf(field), documents: Number(documents) }))
}

/** Keys that are looked at: what one importer invents must not make the list of another take for ever. */
const keysLookedAt = 2000

/** One look-up in the index for each key, and then until the first document that the viewer sees; not one for each value. */
export async function metadataKeys(
  { engine, kysely }: Connection,
  viewer: Parameters<DocumentStore['metadataKeys']>[0],
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly key: string }>`
    with recursive keys (key, number) as (
      select min(key), 1 from document_fields
      union all
      select (select min(next.key) from document_fields as next where next.key > keys.key), keys.number + 1
      from keys where keys.key is not null and keys.number < ${keysLookedAt})
    select key from keys where key is not null and exists (
      select 1 from document_fields as field join documents on documents.row = field.document_row
      where field.key = keys.key and documents.visible_set is not null and ${canSeeContent(engine, viewer)})
    order by key limit ${limit}`.execute(kysely)
  return rows.map(({ key }) => key)
}
