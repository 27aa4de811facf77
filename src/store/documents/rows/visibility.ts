/**
 * Who sees which documents, as conditions on the table `documents`.
 *
 * The record is seen by all owners that it has now. Its content is that of the visible version: an
 * owner who came with a newer version sees none of it until that one is complete (`from_version`),
 * and one who was taken away sees no more of it at once.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Engine } from '../../database.ts'
import { matchesMetadata } from '../metadata/filter-condition.ts'
import type { DocumentFilter, Viewer } from '../document-store.ts'
import { plainText } from '../plain-text.ts'
import { isOneOf } from '../statements.ts'

const always = sql<SqlBool>`1 = 1`

/** Documents whose record this viewer sees. */
export function canSeeRecord(engine: Engine, viewer: Viewer): RawBuilder<SqlBool> {
  if (viewer.all) return always
  const owned = sql`select document_row from document_owners where ${isOneOf(engine, 'principal', viewer.principals)}`
  return sql<SqlBool>`(documents.importer_id = ${viewer.userId} or documents.row in (${owned}))`
}

/** Documents of which this viewer sees the visible chunks. */
export function canSeeContent(engine: Engine, viewer: Viewer): RawBuilder<SqlBool> {
  if (viewer.all) return always
  const owned = sql`
    select owner.document_row from document_owners as owner join documents as owned on owned.row = owner.document_row
    where ${isOneOf(engine, 'owner.principal', viewer.principals)} and owner.from_version <= owned.visible_version`
  return sql<SqlBool>`(documents.importer_id = ${viewer.userId} or documents.row in (${owned}))`
}

/** Documents that the filter lets through. */
export function matchesFilter(engine: Engine, filter: DocumentFilter): RawBuilder<SqlBool> {
  const conditions: RawBuilder<SqlBool>[] = [always]
  const { categories, owners, ids, metadata, states, name } = filter
  if (categories !== undefined) conditions.push(isOneOf(engine, 'documents.category', categories.map(plainText)))
  if (ids !== undefined) conditions.push(isOneOf(engine, 'documents.id', ids.map(plainText)))
  if (metadata !== undefined) conditions.push(matchesMetadata(engine, metadata))
  if (states !== undefined) conditions.push(isOneOf(engine, 'documents.state', states))
  if (owners !== undefined) {
    const among = isOneOf(engine, 'principal', owners.map(plainText))
    conditions.push(sql<SqlBool>`documents.row in (select document_row from document_owners where ${among})`)
  }
  if (name !== undefined) conditions.push(sql<SqlBool>`documents.name_folded like ${containing(name)} escape '\\'`)
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

/** A name as it is compared. */
export function foldedName(name: string): string {
  return plainText(name).normalize('NFKC').toLowerCase()
}

function containing(name: string): string {
  return `%${foldedName(name).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}
