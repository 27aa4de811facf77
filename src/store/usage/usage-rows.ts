/**
 * The SQL of usage records, for both engines. Work that occupies the thread or the write lock for long is
 * cut into parts here; the caller decides on which thread they run.
 */
import { CompiledQuery, sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from 'kysely'
import type { Connection } from '../database.ts'
import { decodeRowCursor, pageOf } from '../page.ts'
import type { Tables } from '../schema.ts'
import { usageColumns, usageOf, type UsageCell } from './usage-record.ts'
import type { UsageFilter, UsageWork } from './usage.ts'

/** Rows of one part of a purge: a few milliseconds of the write lock. */
const purgeMax = 1000

const groupColumns = { model: 'model_served', user: 'user_id', key: 'key_id' } as const

/** Work on the usage records of this database, on the calling thread. */
export function usageRows(connection: Connection): UsageWork {
  const { kysely } = connection
  return {
    insertCells: (cells) => insertCells(connection, cells),
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
    async list({ cursor, limit, status, ...filter }) {
      let query = kysely.selectFrom('usage_records').selectAll().where(matching(filter))
      if (status !== undefined) query = query.where('status', '>=', status.first).where('status', '<=', status.last)
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
    async purgeSome(before) {
      // The oldest first, by the index on (at): a purge that is cut short has still kept a whole period.
      const oldest = kysely
        .selectFrom('usage_records')
        .select('id')
        .where('at', '<', before)
        .orderBy('at')
        .limit(purgeMax)
      const result = await kysely.deleteFrom('usage_records').where('id', 'in', oldest).executeTakeFirst()
      return Number(result.numDeletedRows)
    },
  }
}

/**
 * Adds rows by statements of a few fixed sizes, each prepared once for all batches: on SQLite 2.5 µs
 * of CPU a row, where all rows as one JSON parameter take 14 to 22. The values are put in afterwards
 * because `raw` freezes them, and to bind a frozen array of this length costs another 5 µs a row.
 */
async function insertCells({ engine, kysely }: Connection, cells: readonly UsageCell[]): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    let start = 0
    for (const rows of insertSizes) {
      const size = rows * usageColumns.length
      for (; start + size <= cells.length; start += size) {
        const parameters = cells.slice(start, start + size)
        await trx.executeQuery({ ...CompiledQuery.raw(insertTexts[engine][rows]), parameters })
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
