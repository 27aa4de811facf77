/** What the store, the blobs or the disk refuse, as the error that is answered. */
import { ApiError } from '#errors/api-error.ts'
import { StoreUnavailable } from '#store/errors.ts'
import { InvalidCursor } from '#store/page.ts'
import { BlobsUnavailable } from './blobs/blob-store.ts'
import type { StorageHealth } from './storage-health.ts'

/** The error to answer; anything else comes back as it is. */
export function knownError(storage: Pick<StorageHealth, 'note'>, thrown: unknown): unknown {
  const fault = storage.note(thrown)
  if (fault !== null) return new ApiError(fault, { cause: thrown })
  if (thrown instanceof InvalidCursor) return new ApiError('invalid_cursor', { param: 'cursor' })
  if (thrown instanceof StoreUnavailable) return new ApiError('store_unavailable', { cause: thrown })
  if (thrown instanceof BlobsUnavailable)
    return new ApiError('store_unavailable', { message: thrown.message, cause: thrown.cause })
  return thrown
}
