/** Lists that come in pages, and times, as all JSON answers write them. */
import { z } from '#lib/schema.ts'

/** A time of the answer, RFC 3339 in UTC. */
export const instant = z.iso.datetime()

/** Milliseconds since 1970 as `instant` has it. */
export function instantOf(at: number): string {
  return new Date(at).toISOString()
}

/** The query of a list that comes in pages. */
export const pageQuery = z.strictObject({
  cursor: z.string().max(1000).optional().describe('`next_cursor` of the page before'),
  limit: z.coerce.number('expected a number').int().min(1).max(200).default(50).describe('Most items of the page'),
})

/** The answer of a list that comes in pages. */
export function pageAnswer<S extends z.ZodType>(item: S) {
  return z.strictObject({
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last one'),
  })
}

/** A page as `pageAnswer` has it. */
export function pageOnWire<Item, Wire>(
  page: { readonly items: readonly Item[]; readonly nextCursor: string | null },
  onWire: (item: Item) => Wire,
): { data: Wire[]; next_cursor: string | null } {
  return { data: page.items.map(onWire), next_cursor: page.nextCursor }
}
