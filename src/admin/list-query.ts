/** The search and the order of a list that comes in pages. */
import { z } from '#lib/schema.ts'
import type { ListOrder } from '#store/sorted-page.ts'

const searchText = z
  .string()
  .min(1)
  .max(254)
  .regex(/^\P{Cc}*$/u)

/** Query parameters of a list that can be searched, and sorted by one of these. */
export function listFilter<const By extends string>(orders: readonly [By, ...By[]], searched: string) {
  return {
    q: searchText.optional().describe(`${searched}, in any case`),
    sort: z.enum(orders).optional().describe('Pages of one list are asked for in one order'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }
}

/** As the store takes it; undefined = the order of creation. */
export function orderFrom<By extends string>(
  by: By | undefined,
  order: 'asc' | 'desc',
): ListOrder<By | 'created'> | undefined {
  return by === undefined && order === 'asc' ? undefined : { by: by ?? 'created', descending: order === 'desc' }
}
