import type { Page } from '#store/page.ts'

const pageSize = 200

/** All items of a list that the store gives out in pages. */
export async function readAllPages<Item>(
  read: (page: { readonly cursor: string | null; readonly limit: number }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: Page<Item> = await read({ cursor, limit: pageSize })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return items
}
