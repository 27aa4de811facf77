/**
 * Takes files out of vector stores. The rows go first, so that no search finds them from then on; their documents follow,
 * and what a killed process leaves is removed by the upkeep.
 */
import { removeDocument } from '#documents/records/document-handlers.ts'
import type { FilesQuery } from '#store/batches/vector-store-records.ts'
import type { VectorStores } from './vector-stores.ts'

type Parts = Pick<VectorStores, 'store' | 'documents'>

const removedTogether = 100

/** Removes these files from a store, with their documents. */
export async function removeFromStore({ store, documents }: Parts, storeId: string, fileIds: readonly string[]) {
  for (const id of await store.removeFiles(storeId, fileIds)) await removeDocument(documents, id)
}

/** Removes all files of a store. */
export async function emptyStore(parts: Parts, storeId: string, now: number): Promise<void> {
  const first: FilesQuery = {
    storeId,
    batchId: null,
    status: null,
    now,
    limit: removedTogether,
    descending: false,
    after: null,
    before: null,
  }
  for (;;) {
    const files = await parts.store.files(first)
    if (files.length === 0) return
    await removeFromStore(
      parts,
      storeId,
      files.map(({ fileId }) => fileId),
    )
  }
}

/** Files are gone: no store has them any more. */
export async function removeFromAll(parts: Parts, fileIds: readonly string[]): Promise<void> {
  for (const { storeId, fileId } of await parts.store.storesOf(fileIds)) await removeFromStore(parts, storeId, [fileId])
}

/** Removes what deleted and expired stores still have. */
export async function removeOver(parts: Parts, now: number): Promise<number> {
  const stores = await parts.store.over(now, removedTogether)
  for (const { id, isExpired } of stores) {
    await emptyStore(parts, id, now)
    if (!isExpired) await parts.store.forget(id)
  }
  return stores.length
}
