/**
 * Adds files to a vector store: each becomes a document in the category of the store, which is read and searched as any
 * other. The row of a file comes first, with the id that its document will have, so that nothing of a document is found
 * that the store does not know.
 */
import { resolveComponents } from '#documents/import/components.ts'
import { importItems } from '#documents/import/import-documents.ts'
import type { ImportItem, ImportOptions } from '#documents/import/import-request.ts'
import { removeDocument } from '#documents/records/document-handlers.ts'
import { ApiError } from '#errors/api-error.ts'
import { filePieces } from '#http/file-answer.ts'
import type { Caller } from '#identity/records.ts'
import { eachOf } from '#lib/each-of.ts'
import type { VisibleFile } from '#store/batches/files.ts'
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
const addedTogether = 4

/** Adds the files; those that are there already stay as they are. Answers 400, 403, 404 and 503 by throwing, before anything is added. */
export async function addFiles(stores: VectorStores, caller: Caller, addition: Addition): Promise<void> {
  const { files: deps, store, documents } = stores
  const { storeId, batchId, files } = addition
  if (files.length === 0) return
  if ((await documents.store.backlog()) >= documents.settings.get('documents.max_backlog'))
    throw new ApiError('backlog_full')
  const byId = new Map(files.map((file) => [file.file_id, file]))
  const found = new Map<string, VisibleFile>()
  await eachOf(byId.keys(), addedTogether, async (id) => void found.set(id, await addable(deps, id, caller)))
  const createdAt = deps.clock.now()
  const rows = [...byId].map(([fileId, { attributes = null, chunking_strategy: strategy }]): NewStoreFile => ({
    storeId,
    fileId,
    documentId: crypto.randomUUID(),
    batchId,
    attributes,
    chunking: chunkingOf(strategy),
    createdAt,
  }))
  const components = new Map(rows.map((row) => [row, resolveComponents(documents, caller, optionsOf(row))]))
  const added = await store.addFiles(rows)
  await eachOf(components, addedTogether, async ([row, parts]) => {
    const file = found.get(row.fileId)
    if (file === undefined || !added.has(row.fileId)) return
    const failed = await importOne(stores, { caller, row, file, components: parts }).catch(async (thrown: unknown) => {
      // One that was deleted in the meantime is not found, whatever came of it.
      await ownFile(deps, row.fileId, caller)
      throw thrown
    })
    if (failed !== null) await store.failFile(row, failed)
  })
  await store.touch([storeId], createdAt)
  documents.wake()
}

async function addable(files: VectorStores['files'], id: string, caller: Caller): Promise<VisibleFile> {
  const file = await ownFile(files, id, caller)
  if (file.sha256 !== null) return file
  throw new ApiError('invalid_body', { param: 'file_id', message: `The batch that writes ${id} has not ended.` })
}

interface OneFile {
  readonly caller: Caller
  readonly row: NewStoreFile
  readonly file: VisibleFile
  readonly components: ReturnType<typeof resolveComponents>
}

/** What is wrong with the file; null when it was added. */
async function importOne(
  { documents, store }: VectorStores,
  { caller, row, file, components }: OneFile,
): Promise<{ readonly code: string; readonly message: string } | null> {
  const { blobs, spool, settings } = documents
  if (file.bytes > settings.get('documents.max_file_bytes'))
    return { code: 'too_large', message: 'The file is larger than a document may be.' }
  await using blob = await blobs.open({ id: file.blobId, sha256: file.sha256 ?? '' })
  const received = await spool.receive(filePieces(blob, 0, file.bytes), file.bytes)
  const item: ImportItem = {
    name: file.name,
    category: row.storeId,
    path: '',
    docId: row.documentId,
    source: null,
    metadata: row.attributes ?? {},
    owners: null,
    origin: { kind: 'received', received },
    fault: null,
    warnings: [],
  }
  const [createdAt, place] = await Promise.all([documents.now(), documents.place()])
  const [outcome] = await importItems(documents, [item], { caller, components, createdAt, place })
  if (outcome === undefined || outcome.kind === 'invalid')
    return outcome?.reason ?? { code: 'server_error', message: 'The file was not added.' }
  // The store, or the file in it, may have been deleted in the meantime.
  if (!(await store.relate(row, outcome.id))) await removeDocument(documents, outcome.id)
  return null
}

function chunkingOf(strategy: StaticChunking | undefined): NewStoreFile['chunking'] {
  if (strategy?.type !== 'static') return autoChunking
  const { max_chunk_size_tokens: units, chunk_overlap_tokens: overlap } = strategy.static
  return { units, overlap }
}

function optionsOf({ chunking }: NewStoreFile): ImportOptions {
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
