/** A document's record and its row. */
import { createHash } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { Connection, Engine } from '../../database.ts'
import type { DocumentsTable, Tables } from '../../schema.ts'
import type {
  Component,
  DocumentError,
  DocumentProgress,
  DocumentRecord,
  DocumentState,
  NewDocument,
} from '../document-store.ts'
import type { DocumentSource } from '../document-source.ts'
import type { Metadata } from '../metadata/metadata.ts'
import { plainText, plainTextOrNull } from '../plain-text.ts'
import { isOneOf } from '../statements.ts'
import { foldedName } from './visibility.ts'

export type DocumentRow = Selectable<DocumentsTable>

/** States from which nothing follows by itself. */
export const endedStates: readonly DocumentState[] = ['completed', 'failed', 'cancelled']

export const noProgress: DocumentProgress = {
  pages: { done: 0, total: 0 },
  chunks: { done: 0, total: 0 },
  embedded: { done: 0, total: 0 },
}

/**
 * What makes two imports the same: bytes, category, importer and owners, and the file of the source where one is named: two
 * files with the same bytes may part ways. One text of fixed length, which an index can hold.
 */
export function contentKey({ sha256, category, importerId, owners, source = null }: NewDocument): string {
  const file = source === null ? [] : [sourceKey(importerId, source)]
  const parts = [sha256, plainText(category), importerId, ...new Set(owners.toSorted()), ...file]
  return digestOf(parts)
}

/** The one key that a file of a source has among the documents of its importer. */
export function sourceKey(importerId: string, { name, id }: Pick<DocumentSource, 'name' | 'id'>): string {
  return digestOf([importerId, plainText(name), plainText(id)])
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Columns of what a document is called, and of the file that it is of. */
export function namedColumns(document: NewDocument) {
  const { name, importerId, source = null } = document
  return {
    name: plainText(name),
    name_folded: foldedName(name),
    content_key: contentKey(document),
    source_name: source && plainText(source.name),
    source_id: source && plainText(source.id),
    source_version: plainTextOrNull(source?.version ?? null),
    source_key: source && sourceKey(importerId, source),
  }
}

/** Columns that an import sets, the same for a new document and a new version. */
export function importedColumns(document: NewDocument) {
  return {
    ...namedColumns(document),
    category: plainText(document.category),
    sha256: document.sha256,
    bytes: document.bytes,
    place: document.place,
    reader: JSON.stringify(document.reader),
    chunker: JSON.stringify(document.chunker),
    embedder: JSON.stringify(document.embedder),
    ...queuedColumns(document.createdAt),
  }
}

/** Columns of a document that waits for its first attempt. */
export function queuedColumns(now: number) {
  return {
    state: 'queued',
    progress: JSON.stringify(noProgress),
    attempts: 0,
    crashes: 0,
    error: null,
    warnings: '[]',
    state_at: JSON.stringify({ queued: now }),
    updated_at: now,
  }
}

/** The records of these rows, with their owners. */
export async function recordsOf(
  { engine, kysely }: Connection,
  rows: readonly DocumentRow[],
): Promise<readonly DocumentRecord[]> {
  if (rows.length === 0) return []
  const owners = await kysely
    .selectFrom('document_owners')
    .select(['document_row', 'principal'])
    .where(
      isOneOf(
        engine,
        'document_row',
        rows.map(({ row }) => row),
      ),
    )
    .orderBy('principal')
    .execute()
  const ownersOf = Map.groupBy(owners, (owner) => owner.document_row)
  return rows.map((row) =>
    recordOf(
      row,
      (ownersOf.get(row.row) ?? []).map(({ principal }) => principal),
    ),
  )
}

/** The record of a row that was read, or null for none. */
export async function recordOrNull(
  connection: Connection,
  row: DocumentRow | undefined,
): Promise<DocumentRecord | null> {
  if (row === undefined) return null
  const [record] = await recordsOf(connection, [row])
  return record ?? null
}

/** Whether a statement that reads rows in order to change them has to lock them; on SQLite the transaction has. */
export function needsRowLocks(engine: Engine): boolean {
  return engine === 'postgres'
}

/** The document of this number as it is now. */
export async function documentAt(kysely: Kysely<Tables>, row: number): Promise<DocumentRow | undefined> {
  return kysely.selectFrom('documents').selectAll().where('row', '=', row).executeTakeFirst()
}

/** The file that the document of a row is of. */
export function sourceOf({
  source_name: name,
  source_id: id,
  source_version: version,
}: Pick<DocumentRow, 'source_name' | 'source_id' | 'source_version'>): DocumentSource | null {
  return name === null || id === null ? null : { name, id, version }
}

function recordOf(row: DocumentRow, owners: readonly string[]): DocumentRecord {
  return {
    id: row.id,
    importerId: row.importer_id,
    owners,
    name: row.name,
    category: row.category,
    sha256: row.sha256,
    bytes: row.bytes,
    place: row.place,
    reader: JSON.parse(row.reader) as Component,
    chunker: JSON.parse(row.chunker) as Component,
    embedder: JSON.parse(row.embedder) as Component,
    source: sourceOf(row),
    state: row.state as DocumentState,
    progress: JSON.parse(row.progress) as DocumentProgress,
    attempts: row.attempts,
    crashes: row.crashes,
    error: row.error === null ? null : (JSON.parse(row.error) as DocumentError),
    warnings: JSON.parse(row.warnings) as readonly string[],
    mediaType: row.media_type,
    title: row.title,
    otherNames: JSON.parse(row.other_names) as readonly string[],
    metadata: JSON.parse(row.metadata) as Metadata,
    version: row.version,
    visible: row.visible_version > 0,
    stateAt: JSON.parse(row.state_at) as DocumentRecord['stateAt'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
