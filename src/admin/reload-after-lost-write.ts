/**
 * Reloads memory after a write whose answer was lost. The database may have carried it out: so memory
 * reads everything again when the database is back, and a deleted key stops working. Until then
 * requests are served as before, since nothing was promised.
 */
import type { Admin } from './admin.ts'
import { StoreUnavailable } from '#store/errors.ts'

const retryMs = 1000
const reloading = new WeakSet<Admin['store']>()

/** Runs a handler that changes the store; what it throws comes out as it is. */
export async function reloadAfterLostWrite<T>(admin: Admin, handle: () => T | Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable) void readAgainLater(admin)
    throw thrown
  }
}

async function readAgainLater(admin: Admin): Promise<void> {
  const { store, feed, logger } = admin
  if (reloading.has(store)) return
  reloading.add(store)
  for (;;) {
    // It must not keep a process alive that has nothing else to do.
    await new Promise<void>((resolve) => setTimeout(resolve, retryMs).unref())
    try {
      await store.ping()
      await feed.publish([{ kind: 'unknown' }])
      reloading.delete(store)
      return
    } catch (error) {
      logger.debug('the database is still away', { error })
    }
  }
}
