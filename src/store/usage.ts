/**
 * What was used: one row for each request, kept until it is purged. Rows are written behind, in
 * batches, and outlive the users, keys and models that they name.
 */
import {
  CompiledQuery,
  sql,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SqlBool,
} from 'kysely'
import type { Database } from './database.ts'
import { decodeRowCursor, pageOf, type Page, type PageRequest } from './page.ts'
import type { Tables } from './schema.ts'
import { usageCells, usageColumns, usageOf, type StoredUsage, type UsageRecord } from './usage-record.ts'

export interface UsageFilter {
  /** First moment that counts. */
  readonly from: number
  /** First moment that no longer counts. */
  readonly to: number
  readonly userId?: string | undefined
  readonly keyId?: string | undefined
  /** Canonical name of the model that served. */
  readonly model?: string | undefined
}

export interface UsageTotals {
  readonly requests: number
  /** Requests that were answered with a status of 400 or above. */
  readonly errors: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly requestBytes: number
  readonly responseBytes: number
  /** Sum over all requests. */
  readonly durationMs: number
}

export type UsageGrouping = 'model' | 'user' | 'key' | 'none'

export interface UsageSeriesQuery extends UsageFilter {
  /** Length of a bucket; the first one begins at `from`. With `to - from` there is one bucket for all. */
  readonly bucketMs: number
  readonly groupBy: UsageGrouping
}

export interface UsagePoint extends UsageTotals {
  /** Beginning of the bucket. */
  readonly at: number
  /** Name of the model, or id of the user or key; null when unknown, and always with grouping `none`. */
  readonly group: string | null
}

export interface UsageStore {
  /** Adds rows, all or none. Texts that came from clients are cut at 256 characters. */
  insertMany(records: readonly UsageRecord[]): Promise<void>
  totals(filter: UsageFilter): Promise<UsageTotals>
  /** Points in the order of time, then group; buckets without requests are left out. */
  series(query: UsageSeriesQuery): Promise<readonly UsagePoint[]>
  /** A page of rows, the newest first. Throws InvalidCursor. */
  list(query: UsageFilter & PageRequest): Promise<Page<StoredUsage>>
  /** Removes the rows from before this moment, in batches between which others can write; returns how many. */
  purgeBefore(at: number): Promise<number>
}

/** Rows per batch of a purge: some tens of milliseconds of the write lock. */
const purgeMax = 2000

const groupColumns = { model: 'model_served', user: 'user_id', key: 'key_id' } as const

/** The usage records of this database. */
export function usageStore(database: Database): UsageStore {
  const { kysely } = database
  return {
    async insertMany(records) {
      if (records.length > 0) await insertRows(database, records)
    },
    async totals(filter) {
      const query = kysely.selectFrom('usage_records').select(sums).where(matching(filter))
      return query.executeTakeFirstOrThrow()
    },
    async series({ bucketMs, groupBy, ...filter }) {
      const bucket = sql<number>`at - (at - ${filter.from}) % cast(${bucketMs} as bigint)`
      const group = groupBy === 'none' ? sql<null>`null` : sql.ref<string | null>(groupColumns[groupBy])
      const points = await kysely
        .selectFrom((from) =>
          from
            .selectFrom('usage_records')
            .selectAll()
            .select([bucket.as('bucket'), group.as('series')])
            .where(matching(filter))
            .as('usage_records'),
        )
        .select(['bucket', 'series', ...sums])
        .groupBy(['bucket', 'series'])
        .orderBy('bucket')
        .orderBy('series')
        .execute()
      return points.map(({ bucket: at, series, ...totals }) => ({ at, group: series, ...totals }))
    },
    async list({ cursor, limit, ...filter }) {
      let query = kysely.selectFrom('usage_records').selectAll().where(matching(filter))
      if (cursor !== undefined && cursor !== null) {
        const { at, id } = decodeRowCursor(cursor)
        query = query.where(sql<SqlBool>`(at, id) < (${at}, ${id})`)
      }
      const rows = await query
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return pageOf(rows, limit, { item: usageOf, place: ({ at, id }) => ({ at, id }) })
    },
    purgeBefore: (at) => purge(kysely, at),
  }
}

async function purge(kysely: Kysely<Tables>, before: number): Promise<number> {
  // The oldest first, by the index on (at): a purge that is cut short has still kept a whole period.
  const oldest = kysely.selectFrom('usage_records').select('id').where('at', '<', before).orderBy('at').limit(purgeMax)
  let purged = 0
  for (;;) {
    const result = await kysely.deleteFrom('usage_records').where('id', 'in', oldest).executeTakeFirst()
    purged += Number(result.numDeletedRows)
    if (result.numDeletedRows < purgeMax) return purged
    // SQLite answers without ever leaving this thread: let it serve requests in between.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/**
 * Adds rows by statements of a few fixed sizes, each prepared once for all batches. On SQLite, without
 * the disk, that is 5 µs a row with its index entries; all rows as one JSON parameter takes 14 to 22.
 */
async function insertRows({ engine, kysely }: Database, records: readonly UsageRecord[]): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    let start = 0
    for (const size of insertSizes) {
      for (; start + size <= records.length; start += size) {
        const cells = records.slice(start, start + size).flatMap(usageCells)
        await trx.executeQuery(CompiledQuery.raw(insertTexts[engine][size], cells))
      }
    }
  })
}

/** Rows per statement, the largest first. */
const insertSizes = [50, 10, 1] as const

const insertTexts = {
  sqlite: { 50: insertText(50, '?'), 10: insertText(10, '?'), 1: insertText(1, '?') },
  postgres: { 50: insertText(50, '$'), 10: insertText(10, '$'), 1: insertText(1, '$') },
} as const

function insertText(rows: number, parameter: '?' | '$'): string {
  const width = usageColumns.length
  const tuples = Array.from({ length: rows }, (_row, row) => {
    const cells = usageColumns.map((_column, column) => (parameter === '?' ? '?' : `$${row * width + column + 1}`))
    return `(${cells.join(', ')})`
  })
  return `insert into usage_records (${usageColumns.join(', ')}) values ${tuples.join(', ')}`
}

function matching(filter: UsageFilter) {
  return (eb: ExpressionBuilder<Tables, 'usage_records'>): Expression<SqlBool> =>
    eb.and([
      eb('at', '>=', filter.from),
      eb('at', '<', filter.to),
      ...(filter.userId === undefined ? [] : [eb('user_id', '=', filter.userId)]),
      ...(filter.keyId === undefined ? [] : [eb('key_id', '=', filter.keyId)]),
      ...(filter.model === undefined ? [] : [eb('model_served', '=', filter.model)]),
    ])
}

/** PostgreSQL sums 64-bit integers to `numeric`, which would arrive as a string. */
function sumOf(summand: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`cast(coalesce(sum(${summand}), 0) as bigint)`
}

const sums = [
  sql<number>`count(*)`.as('requests'),
  sumOf(sql`case when status >= 400 then 1 else 0 end`).as('errors'),
  sumOf(sql`prompt_tokens`).as('promptTokens'),
  sumOf(sql`completion_tokens`).as('completionTokens'),
  sumOf(sql`request_bytes`).as('requestBytes'),
  sumOf(sql`response_bytes`).as('responseBytes'),
  sumOf(sql`duration_ms`).as('durationMs'),
] as const
