/** Turns errors of the store into answers of the admin API. No other file knows both. */
import { ApiError } from '#errors/api-error.ts'
import { InUse, LastAdministrator, Missing, NameTaken, NotPlain, StoreUnavailable } from '#store/errors.ts'
import { InvalidCursor } from '#store/page.ts'

/** Runs a handler; throws an ApiError for what the store refuses. */
export async function mapStoreErrors<T>(handle: () => T | Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (thrown) {
    throw refusalOf(thrown)
  }
}

function refusalOf(thrown: unknown): unknown {
  if (thrown instanceof NameTaken || thrown instanceof InUse || thrown instanceof LastAdministrator)
    return new ApiError('conflict', { message: thrown.message })
  if (thrown instanceof NotPlain)
    return new ApiError('validation_failed', { param: 'composite', message: thrown.message })
  if (thrown instanceof Missing) return new ApiError('not_found', { message: thrown.message })
  if (thrown instanceof InvalidCursor) return new ApiError('invalid_cursor', { param: 'cursor' })
  if (thrown instanceof StoreUnavailable) return new ApiError('store_unavailable', { cause: thrown })
  return thrown
}
