/** What the parts of the store contract, and other tests of a store, have in common. */
import type { Store } from '#store/store.ts'

/** Declares a test that gets a fresh store, closed afterwards whatever happens. */
export type StoreTest = (guarantee: string, body: (store: Store) => Promise<void>) => void

/** All items of a list, read page by page. */
export async function allPages<Item>(
  page: (cursor: string | null) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null }>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const { items: more, nextCursor } = await page(cursor)
    items.push(...more)
    cursor = nextCursor
  } while (cursor !== null)
  return items
}

/** What a promise rejects with; fails the test when it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (thrown) {
    return thrown
  }
  throw new Error('The call was expected to be refused, but it succeeded.')
}
