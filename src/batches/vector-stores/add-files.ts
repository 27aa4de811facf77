/**
 * Adds files to a vector store: each becomes a document in the category of the store, which is read and searched as any
 * other. The row of a file comes first, with the id that its document will have, so that nothing of a document is found
 * that the store does not know. The request writes the rows; the bytes are copied after it (file-adder.ts).
 */
import { resolveComponents } from '#documents/import/components.ts'
import type { ImportOptions } from '#documents/import/import-request.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import { eachOf } from '#lib/each-of.ts'
import type { DocumentSource } from '#store/documents/document-source.ts'
import type { NewStoreFile } from '#store/batches/vector-store-records.ts'
import { ownFile } from '../files/files.ts'
import type { FileToAdd, StaticChunking } from './vector-store-wire.ts'
import type { VectorStores } from './vector-stores.ts'

export interface Addition {
  readonly storeId: string
  readonly batchId: string | null
  readonly files: readonly FileToAdd[]
}

/** What OpenAI does when a client does not say. */
const autoChunking = { units: 800, overlap: 400 }
const lookedUpTogether = 4

/** Adds the files; those that are there already stay as they are. Answers 400, 403, 404 and 503 by throwing, before anything is added. */
export async function addFiles(stores: VectorStores, caller: Caller, addition: Addition): Promise<void> {
  const { files: deps, store, documents } = stores
  const { storeId, batchId, files } = addition
  if (files.length === 0) return
  if ((await documents.store.backlog()) >= documents.settings.get('documents.max_backlog'))
    throw new ApiError('backlog_full')
  const byId = new Map(files.map((file) => [file.file_id, file]))
  await eachOf(byId.keys(), lookedUpTogether, (id) => mustBeAddable(deps, id, caller)) // 400, 404
  const createdAt = deps.clock.now()
  const sources = [...byId.keys()].map((fileId) => sourceOf(storeId, fileId))
  const ids = await documents.store.idsOfSources(caller.account.user.id, sources)
  const rows = [...byId].map(([fileId, { attributes = null, chunking_strategy: strategy }], at): NewStoreFile => ({
    storeId,
    fileId,
    documentId: ids[at] ?? crypto.randomUUID(),
    batchId,
    attributes,
    chunking: chunkingOf(strategy),
    createdAt,
  }))
  for (const row of rows) resolveComponents(documents, caller, optionsOf(row)) // 400, 403
  await store.addFiles(rows)
  await store.touch([storeId], createdAt)
  stores.adding.wake()
}

async function mustBeAddable(files: VectorStores['files'], id: string, caller: Caller): Promise<void> {
  if ((await ownFile(files, id, caller)).sha256 !== null) return
  throw new ApiError('invalid_body', { param: 'file_id', message: `The batch that writes ${id} has not ended.` })
}

function chunkingOf(strategy: StaticChunking | undefined): NewStoreFile['chunking'] {
  if (strategy?.type !== 'static') return autoChunking
  const { max_chunk_size_tokens: units, chunk_overlap_tokens: overlap } = strategy.static
  return { units, overlap }
}

/** Files with the same bytes have attributes of their own, so each is a file of its own to the documents, too. */
export function sourceOf(storeId: string, fileId: string): DocumentSource {
  return { name: storeId, id: fileId, version: null }
}

/** How its document is made. */
export function optionsOf({ chunking }: NewStoreFile): ImportOptions {
  return {
    reader: undefined,
    chunker: 'token',
    embedder: undefined,
    chunkUnits: chunking.units,
    chunkOverlap: chunking.overlap,
    wait: false,
    warnings: [],
  }
}
