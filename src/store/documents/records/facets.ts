/** Counts documents by the values in their metadata. */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import type { FindQuery, Viewer } from '../document-store.ts'
import { fieldKinds, valueOf, type MetadataField, type MetadataValue } from '../metadata/metadata.ts'
import { plainText } from '../plain-text.ts'
import { isOneOf } from '../statements.ts'
import { canSeeContent, matchesFilter } from '../rows/visibility.ts'

export interface FacetQuery {
  readonly viewer: Viewer
  readonly filter: FindQuery['filter']
  readonly keys: readonly string[]
  /** Most values of each key. */
  readonly limit: number
}

/** A value in the metadata of documents, and how many have it. */
export interface Facet {
  readonly key: string
  readonly value: MetadataValue
  readonly documents: number
}

const counted = [fieldKinds.text, fieldKinds.number, fieldKinds.truth, fieldKinds.nothing]

/** The most frequent values of each key. Costs as much as the documents that have the keys. */
export async function facetsOf(
  { engine, kysely }: Connection,
  { viewer, filter, keys, limit }: FacetQuery,
): Promise<readonly Facet[]> {
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
