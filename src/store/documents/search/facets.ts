/**
 * Counts documents by the values in their metadata: those that a search may look at, of many only the newest, so that its
 * cost has a bound.
 */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import type { DocumentStore } from '../document-store.ts'
import { fieldKinds, valueOf, type MetadataField } from '../metadata/metadata.ts'
import { plainText } from '../plain-text.ts'
import { isOneOf } from '../statements.ts'
import type { Allowed } from './visible-sets.ts'

/** Documents that are counted at most: some 150 ms. */
export const countedMax = 20_000
const kindsCounted = [fieldKinds.text, fieldKinds.number, fieldKinds.truth, fieldKinds.nothing]

/** The most frequent values of each key. */
export async function facetsOf(
  { engine, kysely }: Connection,
  allowed: Allowed,
  { keys, limit, countedMax: most = countedMax }: Parameters<DocumentStore['facets']>[0],
): ReturnType<DocumentStore['facets']> {
  const sets = Float64Array.from(allowed.setRows())
  // Sets are numbered in the order in which they were stored.
  const newest = [...(sets.length > most ? sets.sort().subarray(-most) : sets)]
  const { rows } = await sql<MetadataField & { readonly documents: number }>`
    select key, kind, text, number, documents from (
      select field.key, field.kind, field.text, field.number, count(distinct field.document_row) as documents,
        row_number() over (
          partition by field.key
          order by count(distinct field.document_row) desc, field.kind, field.text, field.number) as place
      from documents cross join document_fields as field
      where ${isOneOf(engine, 'documents.visible_set', newest)} and field.document_row = documents.row
        and ${isOneOf(engine, 'field.key', keys.map(plainText))} and ${isOneOf(engine, 'field.kind', kindsCounted)}
      group by field.key, field.kind, field.text, field.number) as counts
    where place <= ${limit} order by key, place`.execute(kysely)
  return {
    facets: rows.map(({ key, documents, ...field }) => ({ key, value: valueOf(field), documents: Number(documents) })),
    counted: newest.length,
    of: sets.length,
  }
}
