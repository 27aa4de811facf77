/** What the handlers of vector stores work with, and whose store is whose. */
import type { Documents } from '#documents/documents.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Clock } from '#lib/clock.ts'
import type { Caller } from '#identity/records.ts'
import type { VectorStoreRecord, VectorStoreStore } from '#store/batches/vector-store-records.ts'
import type { Files } from '../files/files.ts'

export interface VectorStores {
  readonly files: Files
  readonly store: VectorStoreStore
  readonly documents: Documents
  readonly clock: Clock
  /** Woken when there are files to add. */
  readonly adding: { wake(): void }
}

const dayMs = 86_400_000

/** When a store that is not used until then expires; null for never. */
export function expiresAt({ expiresDays, lastActiveAt }: VectorStoreRecord): number | null {
  return expiresDays === null ? null : lastActiveAt + expiresDays * dayMs
}

/** The caller's store with this id. Answers 404 by throwing. */
export async function ownStore({ store }: Pick<VectorStores, 'store'>, id: string, caller: Caller) {
  const found = await store.find(id)
  if (found === null || found.userId !== caller.account.user.id)
    throw new ApiError('vector_store_not_found', { message: `No such VectorStore: ${id.slice(0, 100)}` })
  return found
}

/** The same for one that is to be used. Answers 400 for one that has expired. */
export async function usableStore(
  stores: Pick<VectorStores, 'store'> & { readonly clock: Clock },
  id: string,
  caller: Caller,
): Promise<VectorStoreRecord> {
  const found = await ownStore(stores, id, caller)
  if (isExpired(found, stores.clock.now()))
    throw new ApiError('vector_store_expired', { message: `The vector store ${id} has expired. Create a new one.` })
  return found
}

export function isExpired(store: VectorStoreRecord, now: number): boolean {
  const at = expiresAt(store)
  return at !== null && at <= now
}
