/** Lists of users: by a part of a text and by kind, in an order that the reader chose; and when each was last seen. */
import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import type { UserKind } from '#identity/records.ts'
import { containsText, oneContains } from '../contains-text.ts'
import type { Database } from '../database.ts'
import type { Page, PageRequest } from '../page.ts'
import { behindSorted, orderBy, sortedPageOf, type ListOrder, type Sorting } from '../sorted-page.ts'
import type { UsersTable } from '../schema.ts'

export const userOrders = ['created', 'email', 'name', 'last_seen'] as const
export type UserOrder = (typeof userOrders)[number]

export interface UserQuery extends PageRequest {
  /** Part of the e-mail address, in any case. */
  readonly emailContains?: string | undefined
  /** Part of the e-mail address or the name, in any case. */
  readonly contains?: string | undefined
  readonly kind?: UserKind | undefined
  /** Only users who were added to this group. */
  readonly groupId?: string | undefined
  /** The order of creation when absent. */
  readonly order?: ListOrder<UserOrder> | undefined
}

type Row = Selectable<UsersTable> & { readonly sort_value: string | number }

/** A page of users. Sorted by any of these, thousands take a few milliseconds: there is no index for each. */
export async function listUserRows<Item>(
  { engine, kysely }: Database,
  query: UserQuery,
  item: (row: Selectable<UsersTable>) => Item,
): Promise<Page<Item>> {
  const { by, descending } = query.order ?? { by: 'created', descending: false }
  const sorting: Sorting = { ...valueOf(engine, by), id: sql.ref('users.id'), descending }
  const { emailContains, contains, kind, groupId } = query
  const conditions: RawBuilder<SqlBool>[] = [behindSorted(query, sorting)]
  if (emailContains !== undefined) conditions.push(containsText(engine, 'email', emailContains))
  if (contains !== undefined) conditions.push(oneContains(engine, ['email', 'name'], contains))
  if (kind !== undefined) conditions.push(sql<SqlBool>`kind = ${kind}`)
  if (groupId !== undefined)
    conditions.push(sql<SqlBool>`users.id in (select user_id from memberships where group_id = ${groupId})`)
  const { rows } = await sql<Row>`
    select users.*, ${sorting.value} as sort_value from users where ${sql.join(conditions, sql` and `)}
    order by ${orderBy(sorting)} limit ${query.limit + 1}`.execute(kysely)
  return sortedPageOf(rows, query.limit, item)
}

function valueOf(engine: Database['engine'], by: UserOrder): Pick<Sorting, 'value' | 'type'> {
  switch (by) {
    case 'created':
      return { value: sql.ref('created_at'), type: 'number' }
    case 'email':
    case 'name': {
      const lower = sql`lower(${sql.ref(by)})`
      return { value: engine === 'postgres' ? sql`${lower} collate "C"` : lower, type: 'string' }
    }
    case 'last_seen':
      return { value: engine === 'postgres' ? sql`greatest(${seenAt})` : sql`max(${seenAt})`, type: 'number' }
  }
}

/** In a browser, and with a key that exists. */
const seenAt = sql`coalesce(users.seen_at, 0),
  coalesce((select max(last_used_at) from api_keys where user_id = users.id), 0)`

/** When each of these users was last seen, signed in or by a key that still exists; those never seen are left out. */
export async function readLastSeen(
  { engine, kysely }: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const latest = engine === 'postgres' ? sql`greatest(${seenAt})` : sql`max(${seenAt})`
  const { rows } = await sql<{ id: string; at: number }>`
    select id, ${latest} as at from users where id in (${sql.join(ids)})`.execute(kysely)
  return new Map(rows.filter(({ at }) => at > 0).map(({ id, at }) => [id, at]))
}
