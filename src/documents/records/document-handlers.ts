/** The handlers about documents that are there: one, a list, its chunks; deleting, cancelling and trying again. */
import type { z } from 'zod'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { DocumentFilter, DocumentRecord, Viewer } from '#store/documents/document-store.ts'
import type { Renaming } from '#store/documents/document-source.ts'
import type { Metadata } from '#store/documents/metadata/metadata.ts'
import type { PageRequest } from '#store/page.ts'
import type { Documents } from '../documents.ts'
import { ownersOnWire, viewerOf } from '../owners.ts'
import {
  chunkOnWire,
  documentOnWire,
  type manifestAnswer,
  type ChunkOnWire,
  type DocumentOnWire,
} from './document-record.ts'

export async function getDocument(documents: Documents, caller: Caller, id: string): Promise<DocumentOnWire> {
  return onWire(documents, found(await documents.store.get(id, viewerOf(caller))))
}

export async function listDocuments(
  documents: Documents,
  caller: Caller,
  query: DocumentFilter & PageRequest,
): Promise<{ data: DocumentOnWire[]; next_cursor: string | null }> {
  const page = await documents.store.list({ ...query, viewer: viewerOf(caller) })
  const owner = await ownersOnWire(
    documents,
    page.items.flatMap(({ owners }) => owners),
  )
  return { data: page.items.map((record) => documentOnWire(record, owner)), next_cursor: page.nextCursor }
}

export async function listChunks(
  { store }: Documents,
  caller: Caller,
  { id, from, limit }: { readonly id: string; readonly from: number; readonly limit: number },
): Promise<{ data: ChunkOnWire[]; total: number; next: number | null }> {
  const { chunks, total } = found(await store.chunks(id, viewerOf(caller), { from, limit }))
  const next = from + chunks.length
  return { data: chunks.map(chunkOnWire), total, next: chunks.length > 0 && next < total ? next : null }
}

/** When it has resolved, nothing of the document is left: no record, chunk, vector or byte. */
export async function deleteDocument(documents: Documents, caller: Caller, id: string): Promise<void> {
  await changed(documents, caller, id, remove(documents, id, editorOf(caller)))
}

/** The same for one that the server itself has made; there may be none. */
export async function removeDocument(documents: Documents, id: string): Promise<void> {
  await remove(documents, id, { userId: '', principals: [], all: true })
}

async function remove({ store, blobs, blobUse, notifier }: Documents, id: string, editor: Viewer) {
  const addresses = await blobs.listOf(id)
  const removed = await store.delete(id, editor)
  if (removed === null) return null
  await blobUse.removeUnreferenced(addresses)
  notifier.notify()
  return removed
}

/** A change by its editor; what is left out stays. */
export interface DocumentChange {
  readonly name?: string | undefined
  readonly source_id?: string | undefined
  readonly source_version?: string | undefined
  readonly metadata?: Metadata | undefined
}

/** Changes what is known about a document; its chunks and vectors stay. Answers 409 when the file has a document already. */
export async function changeDocument(
  documents: Documents,
  caller: Caller,
  id: string,
  { metadata, ...names }: DocumentChange,
): Promise<DocumentOnWire> {
  const { name, source_id: sourceId, source_version: sourceVersion } = names
  const isRenamed = name !== undefined || sourceId !== undefined
  const renamed = isRenamed ? await rename(documents, caller, id, { name, sourceId, sourceVersion }) : null
  if (renamed !== null && metadata === undefined) return renamed
  return describe(documents, caller, id, metadata ?? {})
}

async function rename(documents: Documents, caller: Caller, id: string, change: Renaming): Promise<DocumentOnWire> {
  const { store, now } = documents
  const record = await changed(documents, caller, id, store.rename(id, editorOf(caller), change, await now()))
  if (record === 'taken')
    throw new ApiError('conflict', { message: 'Another document is of this source_id. Import the file again instead.' })
  return onWire(documents, record)
}

/** What the caller has imported of a source. */
export async function listManifest(
  { store }: Documents,
  { account }: Caller,
  { source, after, limit }: { readonly source: string; readonly after?: string | undefined; readonly limit: number },
): Promise<z.input<typeof manifestAnswer>> {
  const query = { importerId: account.user.id, source, after: after ?? null, limit }
  const { entries, next } = await store.manifest(query)
  return {
    data: entries.map(({ documentId, sourceId, sourceVersion, sha256, bytes, state }) => ({
      doc_id: documentId,
      source_id: sourceId,
      source_version: sourceVersion,
      sha256,
      bytes,
      state,
    })),
    next,
  }
}

/** Ends a document that has not ended; one that has stays as it is. */
export async function cancelDocument(documents: Documents, caller: Caller, id: string): Promise<DocumentOnWire> {
  const { store, now, notifier } = documents
  const record = await changed(documents, caller, id, store.cancel(id, editorOf(caller), await now()))
  notifier.notify()
  return onWire(documents, record)
}

/** Queues a failed or cancelled document again; one that is under way or completed stays as it is. Answers 409 for a duplicate. */
export async function retryDocument(documents: Documents, caller: Caller, id: string): Promise<DocumentOnWire> {
  const { store, now, wake } = documents
  const record = await changed(documents, caller, id, store.retry(id, editorOf(caller), await now()))
  if ('duplicateOf' in record) {
    throw new ApiError('conflict', {
      message: `The same file was imported again in the meantime, as document ${record.duplicateOf}. Delete this one.`,
    })
  }
  wake()
  return onWire(documents, record)
}

async function describe(documents: Documents, caller: Caller, id: string, patch: Metadata): Promise<DocumentOnWire> {
  const { store, now } = documents
  const change = { patch, now: await now() }
  const described = await changed(documents, caller, id, store.describe(id, editorOf(caller), change))
  if ('document' in described) return onWire(documents, described.document)
  throw new ApiError('validation_failed', { param: 'metadata', message: `"metadata" ${described.refused}.` })
}

/** Who may change a document: its importer, users who own it by name, and administrators; not everyone in a group that may read it. */
function editorOf(caller: Caller): Viewer {
  const viewer = viewerOf(caller)
  return { ...viewer, principals: [`user:${viewer.userId}`] }
}

/** The result of a change. Answers 404 when the caller cannot see the document, and 403 when it may only be read. */
async function changed<T>({ store }: Documents, caller: Caller, id: string, change: Promise<T | null>): Promise<T> {
  const result = await change
  if (result !== null) return result
  found(await store.get(id, viewerOf(caller)))
  throw new ApiError('document_read_only')
}

/** The value. Answers 404 where there is none. */
export function found<T>(value: T | null): T {
  if (value !== null) return value
  throw new ApiError('not_found', { message: 'No document with this id is visible to you.' })
}

async function onWire(documents: Documents, record: DocumentRecord): Promise<DocumentOnWire> {
  return documentOnWire(record, await ownersOnWire(documents, record.owners))
}
