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
