/** Reading documents and their chunks. Nothing here changes anything. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Connection } from '../../database.ts'
import { decodeCursor, pageOf, creationPlace } from '../../page.ts'
import { chunksMax, ordinalOf, rowsOf, setOf } from '../rows/chunk-row.ts'
import { recordOrNull, recordsOf } from '../rows/document-row.ts'
import type { StoredChunk } from '../document-chunks.ts'
import type { DocumentState, DocumentStore, ChunkInContext, Viewer } from '../document-store.ts'
import type { Metadata } from '../metadata/metadata.ts'
import { plainText } from '../plain-text.ts'
import { storedChunk } from '../rows/stored-chunk.ts'
import { isOneOf } from '../statements.ts'
import { idsOfSources, manifest } from './sources.ts'
import { metadataKeys } from './metadata-keys.ts'
import { stretchOf } from './stretch.ts'
import { matchesFilter, canSeeContent, canSeeRecord } from '../rows/visibility.ts'

export type DocumentRecords = Pick<
  DocumentStore,
  | 'get'
  | 'list'
  | 'chunks'
  | 'stretch'
  | 'counts'
  | 'unreferenced'
  | 'elsewhere'
  | 'hasOtherPlaces'
  | 'chunksInContext'
  | 'idsOfSources'
  | 'manifest'
  | 'metadataKeys'
>

/** The documents of this database. */
export function documentRecords(connection: Connection): DocumentRecords {
  const { engine, kysely } = connection
  return {
    async get(id, viewer) {
      const row = await kysely
        .selectFrom('documents')
        .selectAll()
        .where('id', '=', plainText(id))
        .where(canSeeRecord(engine, viewer))
        .executeTakeFirst()
      return recordOrNull(connection, row)
    },
    list: (query) => list(connection, query),
    chunks: (id, viewer, page) => chunks(connection, { id, viewer, ...page }),
    stretch: (id, viewer, query) => stretchOf(connection, { id, viewer, ...query }),
    async counts() {
      const rows = await kysely
        .selectFrom('documents')
        .select(['state', sql<number>`count(*)`.as('documents')])
        .groupBy('state')
        .execute()
      return Object.fromEntries(rows.map(({ state, documents }) => [state as DocumentState, documents]))
    },
    unreferenced: (blobs) => unreferenced(connection, blobs),
    elsewhere: (query) => elsewhere(connection, query),
    async hasOtherPlaces(places) {
      const other = await kysely
        .selectFrom('documents')
        .select('row')
        .where('place', 'like', 'directory:%')
        .where(sql<boolean>`not ${isOneOf(engine, 'place', places)}`)
        .limit(1)
        .executeTakeFirst()
      return other !== undefined
    },
    idsOfSources: (importerId, sources) => idsOfSources(connection, importerId, sources),
    manifest: (query) => manifest(connection, query),
    chunksInContext: (rows, viewer, window) => chunksInContext(connection, { rows, viewer, window }),
    metadataKeys: (viewer, limit) => metadataKeys(connection, viewer, limit),
  }
}

/** Few wait for bytes elsewhere: both lists are short. */
async function elsewhere(
  { engine, kysely }: Connection,
  { places, after, limit }: Parameters<DocumentRecords['elsewhere']>[0],
): ReturnType<DocumentRecords['elsewhere']> {
  const isAway = (column: string): RawBuilder<SqlBool> =>
    sql<SqlBool>`(${sql.ref(column)} is null or not ${isOneOf(engine, column, places)})`
  const { rows } = await sql<{ id: string; sha256: string }>`
    select id, sha256 from (
      select documents.id, documents.sha256 from document_jobs
        join documents on documents.row = document_jobs.document_row
        where document_jobs.lease_until is null and ${isAway('documents.place')}
      union
      select files.blob_id, files.sha256 from batches join files on files.id = batches.input_file_id
        where batches.ended_at is null and files.sha256 is not null and ${isAway('files.place')}
    ) as waiting where id > ${after ?? ''} order by id limit ${limit}`.execute(kysely)
  return rows
}

async function list(
  connection: Connection,
  { viewer, cursor, limit, ...filter }: Parameters<DocumentStore['list']>[0],
): ReturnType<DocumentStore['list']> {
  const { engine, kysely } = connection
  let query = kysely
    .selectFrom('documents')
    .selectAll()
    .where(canSeeRecord(engine, viewer))
    .where(matchesFilter(engine, filter))
  if (cursor !== undefined && cursor !== null) {
    const { at, id } = decodeCursor(cursor)
    query = query.where(sql<boolean>`(created_at, id) < (${at}, ${id})`)
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const { items, nextCursor } = pageOf(rows, limit, { item: (row) => row, place: creationPlace })
  return { items: await recordsOf(connection, items), nextCursor }
}

async function chunks(
  { engine, kysely }: Connection,
  query: { readonly id: string; readonly viewer: Viewer; readonly from: number; readonly limit: number },
): ReturnType<DocumentStore['chunks']> {
  const document = await kysely
    .selectFrom('documents')
    .leftJoin('chunk_sets', 'chunk_sets.row', 'documents.visible_set')
    .select(['documents.id', 'visible_version', 'visible_set', 'chunk_sets.chunks'])
    .where('documents.id', '=', plainText(query.id))
    .where(canSeeContent(engine, query.viewer))
    .executeTakeFirst()
  if (document === undefined) return null
  const { visible_set: set, chunks: total } = document
  if (set === null || total === null) return { chunks: [], total: 0 }
  const { from, to } = rowsOf(set)
  const rows = await kysely
    .selectFrom('document_chunks')
    .selectAll()
    .where('row', '>=', Math.min(from + query.from, to))
    .where('row', '<', to)
    .orderBy('row')
    .limit(query.limit)
    .execute()
  return { chunks: rows.map((row) => storedChunk(row, document.id, document.visible_version)), total }
}

async function chunksInContext(
  { engine, kysely }: Connection,
  { rows, viewer, window }: { readonly rows: readonly number[]; readonly viewer: Viewer; readonly window: number },
): Promise<readonly ChunkInContext[]> {
  const documents = await kysely
    .selectFrom('documents')
    .select(['id', 'name', 'title', 'category', 'metadata', 'visible_set', 'visible_version'])
    .where(isOneOf(engine, 'visible_set', [...new Set(rows.map(setOf))]))
    .where(canSeeContent(engine, viewer))
    .execute()
  const documentOf = new Map(documents.map((document) => [document.visible_set, document]))
  const seen = rows.filter((row) => documentOf.has(setOf(row)))
  const wanted = new Set(seen.flatMap((row) => around(row, window)))
  const stored = await kysely
    .selectFrom('document_chunks')
    .selectAll()
    .where(isOneOf(engine, 'row', [...wanted]))
    .execute()
  const chunkOf = new Map<number, StoredChunk>()
  for (const chunk of stored) {
    const document = documentOf.get(setOf(chunk.row))
    if (document !== undefined) chunkOf.set(chunk.row, storedChunk(chunk, document.id, document.visible_version))
  }
  return seen.flatMap((row) => {
    const [chunk, document] = [chunkOf.get(row), documentOf.get(setOf(row))]
    if (chunk === undefined || document === undefined) return []
    const neighbours = around(row, window).flatMap((each) => chunkOf.get(each) ?? [])
    return {
      ...chunk,
      row,
      documentName: document.name,
      documentTitle: document.title,
      category: document.category,
      metadata: JSON.parse(document.metadata) as Metadata,
      before: neighbours.filter(({ ordinal }) => ordinal < chunk.ordinal),
      after: neighbours.filter(({ ordinal }) => ordinal > chunk.ordinal),
    }
  })
}

/** The row and those beside it, within its set. */
function around(row: number, window: number): readonly number[] {
  const ordinal = ordinalOf(row)
  const [first, last] = [Math.max(0, ordinal - window), Math.min(chunksMax - 1, ordinal + window)]
  return Array.from({ length: last - first + 1 }, (_each, index) => row - ordinal + first + index)
}

/** Those that no document, file or export has. */
async function unreferenced(
  { engine, kysely }: Connection,
  blobs: Parameters<DocumentRecords['unreferenced']>[0],
): ReturnType<DocumentRecords['unreferenced']> {
  const ids = [...new Set(blobs.map(({ id }) => plainText(id)))]
  const documents = await kysely
    .selectFrom('documents')
    .select(['id', 'sha256', 'visible_sha256'])
    .where(isOneOf(engine, 'id', ids))
    .execute()
  const files = await kysely
    .selectFrom('files')
    .select(['blob_id', 'sha256'])
    .where(isOneOf(engine, 'blob_id', ids))
    .execute()
  const exported = await kysely
    .selectFrom('usage_export_files')
    .select(['blob_id', 'sha256'])
    .where(isOneOf(engine, 'blob_id', ids))
    .execute()
  const used = new Set([
    ...documents.flatMap((row) => [`${row.id} ${row.sha256}`, `${row.id} ${row.visible_sha256}`]),
    ...[...files, ...exported].map((row) => `${row.blob_id} ${row.sha256}`),
  ])
  return blobs.filter(({ id, sha256 }) => !used.has(`${id} ${sha256}`))
}
