/**
 * What a lost answer of the database leaves behind. A write can be done although its answer never
 * came: memory then reads everything again when the database is back, so that a deleted key does
 * not go on working. Until then requests are served as before, since nothing was promised.
 */
import type { Admin } from './admin.ts'
import { everything } from '#replica/change-log.ts'
import { StoreUnavailable } from '#store/errors.ts'

const retryMs = 1000
const healing = new WeakSet<Admin['store']>()

/** Runs a handler that changes the store; what it throws comes out as it is. */
export async function healed<T>(admin: Admin, handle: () => T | Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable) void readAgainLater(admin)
    throw thrown
  }
}

async function readAgainLater(admin: Admin): Promise<void> {
  const { store, feed, logger } = admin
  if (healing.has(store)) return
  healing.add(store)
  for (;;) {
    // It must not keep a process alive that has nothing else to do.
    await new Promise<void>((resolve) => setTimeout(resolve, retryMs).unref())
    try {
      await store.ping()
      await feed.publish(everything)
      healing.delete(store)
      return
    } catch (error) {
      logger.debug('the database is still away', { error })
    }
  }
}
