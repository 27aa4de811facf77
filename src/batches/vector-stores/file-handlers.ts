/** The handlers of the files in vector stores, and of batches of them. */
import { listChunks } from '#documents/records/document-handlers.ts'
import { textOfChunks } from '#documents/records/text-of-chunks.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import { json } from '#http/respond.ts'
import type { Caller } from '#identity/records.ts'
import { fileStatuses, type FilesQuery, type StoreBatch, type StoreFile } from '#store/batches/vector-store-records.ts'
import { newId } from '../files/files.ts'
import { addFiles } from './add-files.ts'
import { removeFromStore } from './remove-files.ts'
import { idOf, listPage, pageOf, readBody } from './store-handlers.ts'
import { batchOnWire, batchRequest, fileChange, fileOnWire, fileRequest, type FileToAdd } from './vector-store-wire.ts'
import { ownStore, usableStore, type VectorStores } from './vector-stores.ts'

const chunksTogether = 500
const cancelledTogether = 500

/** Answers 400, 403, 404, 408, 413 and 503 by throwing. */
export async function addFile(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { id } = await usableStore(stores, idOf(context), caller)
  const file = await readBody(stores, context, fileRequest)
  await addFiles(stores, caller, { storeId: id, batchId: null, files: [file] })
  return json(fileOnWire(await fileOf(stores, id, file.file_id)))
}

export async function getFile(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  return json(fileOnWire(await ownFileOf(stores, context, caller)))
}

/** Answers 400 and 404 by throwing. */
export async function listFiles(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { id } = await ownStore(stores, idOf(context), caller)
  return json(await filesPage(stores, context, { storeId: id, batchId: null }))
}

/** Sets the attributes, by which the next search filters. Answers 400 and 404 by throwing. */
export async function updateFile(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const file = await ownFileOf(stores, context, caller)
  const { attributes } = await readBody(stores, context, fileChange)
  await stores.store.setAttributes(file, attributes)
  const removed = Object.keys(file.attributes ?? {}).map((name) => [name, null] as const)
  const patch = { ...Object.fromEntries(removed), ...attributes }
  const viewer = { userId: file.storeId, principals: [], all: true }
  await stores.documents.store.describe(file.documentId, viewer, { patch, now: await stores.documents.now() })
  return json(fileOnWire({ ...file, attributes }))
}

/** Takes the file out of the store; the file itself stays. */
export async function removeFile(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { storeId, fileId } = await ownFileOf(stores, context, caller)
  await removeFromStore(stores, storeId, [fileId])
  return json({ id: fileId, object: 'vector_store.file.deleted', deleted: true })
}

/** The text that was read of a file. */
export async function fileContent(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { documentId: id } = await ownFileOf(stores, context, caller)
  const data: { type: 'text'; text: string }[] = []
  for (let from: number | null = 0; from !== null;) {
    const page: Awaited<ReturnType<typeof listChunks>> = await listChunks(stores.documents, caller, {
      id,
      from,
      limit: chunksTogether,
    })
    if (page.data.length > 0) data.push({ type: 'text', text: textOfChunks(page.data) })
    from = page.next
  }
  return json({ object: 'vector_store.file_content.page', data, has_more: false, next_page: null })
}

/** Answers 400, 403, 404, 408, 413 and 503 by throwing. */
export async function createFileBatch(stores: VectorStores, context: RequestContext, caller: Caller) {
  const { id: storeId } = await usableStore(stores, idOf(context), caller)
  const { file_ids: ids = [], files, ...common } = await readBody(stores, context, batchRequest)
  const added: readonly FileToAdd[] = files ?? ids.map((id) => ({ file_id: id, ...common }))
  const createdAt = stores.files.clock.now()
  const batch: StoreBatch = { id: newId('vsfb_'), storeId, createdAt, cancelledAt: null }
  await stores.store.insertBatch(batch)
  await addFiles(stores, caller, { storeId, batchId: batch.id, files: added })
  return json(batchOnWire(batch, await countsOf(stores, batch)))
}

export async function getFileBatch(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const batch = await ownBatch(stores, context, caller)
  return json(batchOnWire(batch, await countsOf(stores, batch)))
}

/** Ends what has not ended; what is completed stays in the store. */
export async function cancelFileBatch(stores: VectorStores, context: RequestContext, caller: Caller) {
  const batch = await ownBatch(stores, context, caller)
  const now = stores.files.clock.now()
  await stores.store.cancelBatch(batch.id, now)
  const { documents } = stores
  const viewer = { userId: batch.storeId, principals: [], all: true }
  const waiting = await filesOf(stores, batch, 'in_progress')
  for (const { documentId } of waiting) await documents.store.cancel(documentId, viewer, await documents.now())
  documents.notifier.notify()
  return json(batchOnWire({ ...batch, cancelledAt: batch.cancelledAt ?? now }, await countsOf(stores, batch)))
}

/** Answers 400 and 404 by throwing. */
export async function listBatchFiles(stores: VectorStores, context: RequestContext, caller: Caller): Promise<Response> {
  const { storeId, id } = await ownBatch(stores, context, caller)
  return json(await filesPage(stores, context, { storeId, batchId: id }))
}

async function filesPage(
  { store, files }: VectorStores,
  { query }: RequestContext,
  among: Pick<FilesQuery, 'storeId' | 'batchId'>,
) {
  const page = pageOf(query)
  const asked = query.get('filter')
  const status = fileStatuses.find((each) => each === asked) ?? null
  if (asked !== null && status === null)
    throw new ApiError('invalid_query_parameter', {
      param: 'filter',
      message: `"filter" takes one of ${fileStatuses.join(', ')}.`,
    })
  const found = await store.files({ ...among, ...page, limit: page.limit + 1, status, now: files.clock.now() })
  return listPage(found.map(fileOnWire), page)
}

async function ownFileOf(stores: VectorStores, context: RequestContext, caller: Caller): Promise<StoreFile> {
  const { id } = await ownStore(stores, idOf(context), caller)
  return fileOf(stores, id, context.params['file'] ?? '')
}

async function fileOf({ store, files }: VectorStores, storeId: string, fileId: string): Promise<StoreFile> {
  const file = await store.file(storeId, fileId, files.clock.now())
  if (file !== null) return file
  throw new ApiError('file_not_found', { message: `No file ${fileId.slice(0, 100)} is in the vector store.` })
}

async function ownBatch(stores: VectorStores, context: RequestContext, caller: Caller): Promise<StoreBatch> {
  const { id } = await ownStore(stores, idOf(context), caller)
  const batch = await stores.store.batch(context.params['batch'] ?? '')
  if (batch?.storeId === id) return batch
  throw new ApiError('vector_store_not_found', { message: 'The vector store has no batch of files with this id.' })
}

function filesOf({ store, files }: VectorStores, { id, storeId }: StoreBatch, status: FilesQuery['status']) {
  const page = { limit: cancelledTogether, descending: false, after: null, before: null }
  return store.files({ storeId, batchId: id, status, now: files.clock.now(), ...page })
}

async function countsOf(stores: VectorStores, batch: StoreBatch) {
  const counts = { in_progress: 0, completed: 0, cancelled: 0, failed: 0, bytes: 0 }
  for (const { status } of await filesOf(stores, batch, null)) counts[status] += 1
  return counts
}
