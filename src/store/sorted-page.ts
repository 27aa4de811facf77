/**
 * Pages of a list in an order that the reader chose. As in page.ts the cursor is the sort tuple of the last item, so
 * a page neither repeats nor skips what stays; an item whose value changes in the meantime moves.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { InvalidCursor, type Page, type PageRequest } from './page.ts'

/** An order of a list. */
export interface ListOrder<By extends string> {
  readonly by: By
  readonly descending: boolean
}

export interface Sorting {
  /** Never null. */
  readonly value: RawBuilder<unknown>
  readonly type: 'number' | 'string'
  /** What decides between rows with the same value. */
  readonly id: RawBuilder<unknown>
  readonly descending: boolean
}

/** The condition for rows behind the cursor, and true without one. Throws InvalidCursor. */
export function behindSorted({ cursor }: PageRequest, { value, type, id, descending }: Sorting): RawBuilder<SqlBool> {
  if (cursor === undefined || cursor === null) return sql<SqlBool>`1 = 1`
  const last = decode(cursor)
  if (typeof last.value !== type) throw new InvalidCursor()
  return descending
    ? sql<SqlBool>`(${value}, ${id}) < (${last.value}, ${last.id})`
    : sql<SqlBool>`(${value}, ${id}) > (${last.value}, ${last.id})`
}

/** What follows `order by`. */
export function orderBy({ value, id, descending }: Sorting): RawBuilder<unknown> {
  return descending ? sql`${value} desc, ${id} desc` : sql`${value}, ${id}`
}

/** A page from rows with their `sort_value`, of which there is one more than the limit when a next page exists. */
export function sortedPageOf<Row extends { readonly id: string; readonly sort_value: string | number }, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const nextCursor = rows.length > limit && last !== undefined ? encode(last.sort_value, last.id) : null
  return { items: shown.map(item), nextCursor }
}

function encode(value: string | number, id: string): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}

function decode(cursor: string): { readonly value: string | number; readonly id: string } {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw new InvalidCursor()
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) throw new InvalidCursor()
  const [value, id] = parsed as readonly unknown[]
  if (typeof id !== 'string' || id.includes('\0')) throw new InvalidCursor()
  if (typeof value === 'number' ? !Number.isSafeInteger(value) : !isText(value)) throw new InvalidCursor()
  return { value: value as string | number, id }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0')
}
