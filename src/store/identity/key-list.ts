/** Lists of API keys: of all users or of one, by a part of a text, in an order that the reader chose. */
import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import { containsText, oneContains } from '../contains-text.ts'
import type { Database } from '../database.ts'
import type { Page, PageRequest } from '../page.ts'
import { behindSorted, orderBy, sortedPageOf, type ListOrder, type Sorting } from '../sorted-page.ts'
import type { ApiKeysTable } from '../schema.ts'

export const keyOrders = ['created', 'name', 'last_used', 'expires'] as const
export type KeyOrder = (typeof keyOrders)[number]

export interface KeyQuery extends PageRequest {
  /** Only the keys of this user. */
  readonly userId?: string | undefined
  /** Part of the name, the description, the public id, or the owner's name or e-mail address, in any case. */
  readonly contains?: string | undefined
  /** The order of creation when absent. */
  readonly order?: ListOrder<KeyOrder> | undefined
}

type Row = Selectable<ApiKeysTable> & { readonly sort_value: string | number }

/** A page of keys. Sorted by any of these, thousands of keys take a few milliseconds: there is no index for each. */
export async function listKeyRows<Item>(
  { engine, kysely }: Database,
  query: KeyQuery,
  item: (row: Selectable<ApiKeysTable>) => Item,
): Promise<Page<Item>> {
  const { by, descending } = query.order ?? { by: 'created', descending: false }
  const sorting: Sorting = { ...valueOf(engine, by), id: sql.ref('api_keys.id'), descending }
  const conditions: RawBuilder<SqlBool>[] = [behindSorted(query, sorting)]
  if (query.userId !== undefined) conditions.push(sql<SqlBool>`user_id = ${query.userId}`)
  if (query.contains !== undefined) conditions.push(containing(engine, query.contains))
  const { rows } = await sql<Row>`
    select api_keys.*, ${sorting.value} as sort_value from api_keys where ${sql.join(conditions, sql` and `)}
    order by ${orderBy(sorting)} limit ${query.limit + 1}`.execute(kysely)
  return sortedPageOf(rows, query.limit, item)
}

function valueOf(engine: Database['engine'], by: KeyOrder): Pick<Sorting, 'value' | 'type'> {
  switch (by) {
    case 'created':
      return { value: sql.ref('created_at'), type: 'number' }
    case 'name':
      return { value: engine === 'postgres' ? sql`lower(name) collate "C"` : sql`lower(name)`, type: 'string' }
    case 'last_used':
      return { value: sql`coalesce(last_used_at, 0)`, type: 'number' }
    case 'expires':
      // One that never expires comes last.
      return { value: sql`coalesce(expires_at, ${sql.lit(Number.MAX_SAFE_INTEGER)})`, type: 'number' }
  }
}

const secretPrefix = 'sk-slu-'
const publicIdLength = 8

function containing(engine: Database['engine'], text: string): RawBuilder<SqlBool> {
  const own = oneContains(engine, ['name', 'description'], text)
  const owner = sql`select id from users where ${oneContains(engine, ['name', 'email'], text)}`
  return sql<SqlBool>`(${own} or ${containsText(engine, 'public_id', publicPart(text))} or user_id in (${owner}))`
}

/** What is stored of what is displayed of a key, which begins as all keys do; a whole secret finds its key, too. */
function publicPart(text: string): string {
  const isSecret = text.toLowerCase().startsWith(secretPrefix)
  return isSecret ? text.slice(secretPrefix.length, secretPrefix.length + publicIdLength) : text
}
