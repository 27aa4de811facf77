/**
 * Pages of a list in the order of creation. A cursor is the sort tuple of the last item seen, so a
 * page costs the same wherever it is, and inserts and deletes elsewhere neither repeat nor skip items.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'

export interface PageRequest {
  /** `nextCursor` of the page before; null or absent for the first page. */
  readonly cursor?: string | null | undefined
  /** Most items of the page; the caller keeps it between 1 and what it can afford. */
  readonly limit: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Null when this is the last page. */
  readonly nextCursor: string | null
}

/** The cursor was not made by a store. */
export class InvalidCursor extends Error {
  constructor() {
    super('The cursor is not one from an answer of this server.')
    this.name = 'InvalidCursor'
  }
}

/** A place in a list: a time and what decides between rows of the same time. */
export interface Place<Id extends string | number> {
  readonly at: number
  readonly id: Id
}

/** The opaque form of a place. */
export function encodeCursor(place: Place<string | number>): string {
  return Buffer.from(JSON.stringify([place.at, place.id])).toString('base64url')
}

/** The opaque form of a group's name. */
export function encodeGroupCursor(name: string): string {
  return encodeCursor({ at: 0, id: name })
}

/** The name of the last group of the page before; throws InvalidCursor. */
export function decodeGroupCursor(cursor: string): string {
  return decodeCursor(cursor).id
}

/** The place that a cursor stands for, its id a UUID or other text; throws InvalidCursor. */
export function decodeCursor(cursor: string): Place<string> {
  const { at, id } = decode(cursor)
  if (typeof id !== 'string') throw new InvalidCursor()
  return { at, id }
}

/** The place that a cursor stands for, its id a row number; throws InvalidCursor. */
export function decodeRowCursor(cursor: string): Place<number> {
  const { at, id } = decode(cursor)
  if (!Number.isSafeInteger(id)) throw new InvalidCursor()
  return { at, id: Number(id) }
}

/**
 * The condition for rows behind the cursor, and true without one. Compared as a row value, which
 * both engines answer with a range of an index on (created_at, id).
 */
export function behindCursor(request: PageRequest, table: string): RawBuilder<SqlBool> {
  if (request.cursor === undefined || request.cursor === null) return sql<SqlBool>`1 = 1`
  const { at, id } = decodeCursor(request.cursor)
  return sql<SqlBool>`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) > (${at}, ${id})`
}

/** A page from rows that were asked for with one more than the limit, to learn whether there is a next page. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  mapping: { readonly item: (row: Row) => Item; readonly place: (row: Row) => Place<string | number> },
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(mapping.place(last)) : null
  return { items: shown.map(mapping.item), nextCursor }
}

/** The place of a row in the order of creation. */
export function creationPlace(row: { readonly created_at: number; readonly id: string }): Place<string> {
  return { at: row.created_at, id: row.id }
}

function decode(cursor: string): { at: number; id: unknown } {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw new InvalidCursor()
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) throw new InvalidCursor()
  const [at, id] = parsed as readonly unknown[]
  if (typeof at !== 'number' || !Number.isSafeInteger(at)) throw new InvalidCursor()
  // PostgreSQL refuses a NUL in a text; no id has one.
  if (typeof id === 'string' && id.includes('\0')) throw new InvalidCursor()
  return { at, id }
}
