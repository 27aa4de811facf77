/** Which bytes of documents and files a database refers to, and whether it holds them itself. */
import { sql } from 'kysely'
import type { Connection } from './database.ts'

/** The bytes of one version of a document, or of a file. */
export interface BytesAddress {
  /** Id of the document, or what the file's bytes are stored under. */
  readonly id: string
  readonly sha256: string
}

export interface ReferencedBytes {
  /** Those that lie in the database itself. */
  readonly inside: number
  /** Those that lie elsewhere, or nowhere, in the order of their documents' ids. */
  readonly elsewhere: readonly BytesAddress[]
}

const pageRows = 10_000

/** All that the documents, files and exports of this moment refer to. */
export async function referencedBytes(connection: Connection): Promise<ReferencedBytes> {
  const documents = await documentBytes(connection)
  const files = await fileBytes(connection, 'files')
  const exported = await fileBytes(connection, 'usage_export_files')
  return {
    inside: documents.inside + files.inside + exported.inside,
    elsewhere: [...documents.elsewhere, ...files.elsewhere, ...exported.elsewhere],
  }
}

async function fileBytes(
  { engine, kysely }: Connection,
  table: 'files' | 'usage_export_files',
): Promise<ReferencedBytes> {
  const isInside =
    engine === 'sqlite'
      ? sql<boolean>`false`
      : sql<boolean>`exists (select 1 from document_bytes where document_id = ${sql.ref(`${table}.blob_id`)}
          and document_bytes.sha256 = ${sql.ref(`${table}.sha256`)} and part = 0)`
  const rows = await kysely
    .selectFrom(table)
    .select(['blob_id as id', 'sha256', isInside.as('is_inside')])
    .where('sha256', 'is not', null)
    .orderBy('blob_id')
    .execute()
  const elsewhere = rows.flatMap(({ id, sha256, is_inside: inside }) =>
    inside || sha256 === null ? [] : { id, sha256 },
  )
  return { inside: rows.length - elsewhere.length, elsewhere }
}

/** In pages, since there may be millions. */
async function documentBytes({ engine, kysely }: Connection): Promise<ReferencedBytes> {
  const isInside = (sha256: 'sha256' | 'visible_sha256') =>
    engine === 'sqlite'
      ? sql<boolean>`false`
      : sql<boolean>`exists (select 1 from document_bytes where document_id = documents.id
          and document_bytes.sha256 = ${sql.ref(`documents.${sha256}`)} and part = 0)`
  const elsewhere: BytesAddress[] = []
  let inside = 0
  let after = ''
  for (;;) {
    const rows = await kysely
      .selectFrom('documents')
      .select(['id', 'sha256', 'visible_sha256'])
      .select([isInside('sha256').as('is_inside'), isInside('visible_sha256').as('is_visible_inside')])
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageRows)
      .execute()
    for (const { id, sha256, visible_sha256: visible, ...is } of rows) {
      if (is.is_inside) inside += 1
      else elsewhere.push({ id, sha256 })
      if (visible === null || visible === sha256) continue
      if (is.is_visible_inside) inside += 1
      else elsewhere.push({ id, sha256: visible })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return { inside, elsewhere }
    after = last.id
  }
}
