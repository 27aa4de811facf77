/**
 * Reports of usage: whole days and whole hours come from the sums, and what is left at both ends of the period from
 * the rows, all in one statement and so of one moment. Rows that the sums do not have yet are read as rows.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Connection } from '../database.ts'
import { decodeGroupCursor, encodeGroupCursor } from '../page.ts'
import { usageBreakdown } from './usage-breakdown.ts'
import { usageLatency } from './usage-latency.ts'
import { dayMs, hourMs, spansOf, type Span } from './usage-spans.ts'
import { summandNames, summands, type Margin } from './usage-sums.ts'
import type {
  UsageFilter,
  UsageGrouping,
  UsagePoint,
  UsageSeries,
  UsageSeriesQuery,
  UsageTotals,
  UsageWork,
} from './usage.ts'

/** Reports from this database. */
export function usageReports(
  connection: Connection,
): Pick<UsageWork, 'totals' | 'series' | 'latency' | 'breakdownOfHours'> {
  const reader = new Reader(connection)
  return {
    ...usageBreakdown(connection),
    ...usageLatency(connection),
    async totals(filter) {
      const from = await reader.parts({ ...filter, groupBy: 'none', bucketMs: null })
      const { rows } = await sql<UsageTotals>`select ${totalColumns} from (${from}) as parts`.execute(connection.kysely)
      const [totals] = rows
      if (totals === undefined) throw new Error('a sum has no row')
      return totals
    },
    series: (query) => readSeries(connection, reader, query),
  }
}

interface SeriesRow extends UsageTotals {
  readonly bucket: number
  readonly grp: string
  readonly named: number
}

/** One statement: which groups are the largest, their points, and the sums of the others are of one moment. */
async function readSeries(
  { engine, kysely }: Connection,
  reader: Reader,
  query: UsageSeriesQuery,
): Promise<UsageSeries> {
  const { groups = allGroups } = query
  const byName = (column: string): RawBuilder<unknown> =>
    engine === 'postgres' ? sql`${sql.ref(column)} collate "C"` : sql.ref(column)
  const cursor = groups.kind === 'page' ? (groups.cursor ?? null) : null
  const after = cursor === null ? null : decodeGroupCursor(cursor)
  const weight = sql.ref(groups.kind === 'top' ? (groups.by ?? 'requests') : 'requests')
  // One more than the page has, to learn whether there is a next page.
  const limit = groups.kind === 'top' ? groups.limit : groups.limit + 1
  const { rows } = await sql<SeriesRow>`
    with parts as materialized (${await reader.parts(query)}),
    chosen as (
      select grp from parts where ${after === null ? sql`1 = 1` : sql`${byName('grp')} > ${after}`}
      group by grp order by ${groups.kind === 'top' ? sql`sum(${weight}) desc, ${byName('grp')}` : byName('grp')}
      limit ${limit})
    select bucket, coalesce(chosen.grp, '') as grp, case when chosen.grp is null then 0 else 1 end as named, ${totalColumns}
    from parts ${groups.kind === 'top' ? sql`left` : sql`inner`} join chosen on chosen.grp = parts.grp
    group by bucket, chosen.grp order by bucket, ${byName('chosen.grp')}`.execute(kysely)
  const names = groups.kind === 'top' ? [] : [...new Set(rows.map(({ grp }) => grp))].toSorted(byCodePoints)
  const [last, beyond] = [names[groups.limit - 1], names[groups.limit]]
  return {
    points: rows.filter(({ named, grp }) => named === 1 && grp !== beyond).map(pointOf),
    others: rows.filter(({ named }) => named === 0).map(pointOf),
    nextCursor: beyond === undefined || last === undefined ? null : encodeGroupCursor(last),
  }
}

const allGroups = { kind: 'page', limit: Number.MAX_SAFE_INTEGER - 1, cursor: null } as const

/** As both engines compare bytes of UTF-8. */
function byCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

function pointOf({ bucket, grp, named: _named, ...totals }: SeriesRow): UsagePoint {
  return { at: bucket, group: grp === '' ? null : grp, ...totals }
}

/** PostgreSQL sums 64-bit integers to `numeric`, which would arrive as a string. */
function total(name: string, as: string): RawBuilder<unknown> {
  return sql`cast(coalesce(sum(${sql.ref(name)}), 0) as bigint) as ${sql.ref(as)}`
}

const totalColumns = sql.join(
  summandNames.map((name) =>
    total(
      name,
      name.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase()),
    ),
  ),
)

interface PartsQuery extends UsageFilter {
  readonly groupBy: UsageGrouping
  readonly among?: readonly string[] | undefined
  /** Null for one bucket. */
  readonly bucketMs: number | null
}

const rowColumns = { model: 'r.model_served', user: 'r.user_id', key: 'r.key_id', provider: 'r.provider' } as const
const marginColumns = { model: 'name', user: 'name', key: 'name', provider: 'name' } as const
const seriesColumns = { model: 's.model', user: 's.user_id', key: 's.key_id', provider: 's.provider' } as const

class Reader {
  readonly #connection: Connection
  /** Once the sums have all rows, they keep having them. */
  #complete = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The parts of a report, with `bucket`, `grp` and all summands. */
  async parts(query: PartsQuery): Promise<RawBuilder<unknown>> {
    await this.#look()
    const { days, hours, rows } = spansOf(query)
    const parts = [
      ...days.map((span) => sumsOf('usage_days', span, query)),
      ...hours.map((span) => sumsOf('usage_hours', span, query)),
      ...rows.map((span) => this.#rows(span, query)),
      ...(this.#complete
        ? []
        : [...days, ...hours].map((span) =>
            this.#rows(span, query, sql`id <= (select remaining from usage_backfill)`),
          )),
    ]
    return sql.join(parts, sql` union all `)
  }

  async #look(): Promise<void> {
    if (this.#complete) return
    const { kysely } = this.#connection
    const { remaining } = await kysely.selectFrom('usage_backfill').select('remaining').executeTakeFirstOrThrow()
    this.#complete = remaining === 0
  }

  #rows(span: Span, query: PartsQuery, and: RawBuilder<unknown> = sql`1 = 1`): RawBuilder<unknown> {
    const { groupBy } = query
    const values = summandNames.map((name) => sql`cast(sum(${summands[name]}) as bigint) as ${sql.ref(name)}`)
    return sql`
      select ${bucketOf(query)} as bucket, ${groupOf(groupBy, rowColumns)} as grp, ${sql.join(values)}
      from usage_records r ${memberships(groupBy, sql`r.user_id`)}
      where ${rowFilter({ ...query, ...span })} and ${amongOf(query, rowColumns)} and ${and} group by 1, 2`
  }
}

type SumsTable = 'usage_hours' | 'usage_days'

/** From the margin that has all that the query names, and else from the series, which are many times as many. */
function sumsOf(table: SumsTable, span: Span, query: PartsQuery): RawBuilder<unknown> {
  const margin = marginOf(query)
  return margin === null ? seriesSums(table, span, query) : marginSums(table, margin, span, query)
}

function marginOf({ groupBy, userId, keyId, model, provider, groupId }: PartsQuery): Margin | null {
  const names = new Set([
    ...(groupBy === 'none' ? [] : [groupBy === 'group' ? 'user' : groupBy]),
    ...(userId === undefined && groupId === undefined ? [] : ['user' as const]),
    ...(keyId === undefined ? [] : ['key' as const]),
    ...(model === undefined ? [] : ['model' as const]),
    ...(provider === undefined ? [] : ['provider' as const]),
  ])
  const [name = 'all'] = names
  return names.size > 1 || name === 'key' ? null : name
}

/** As they are: a row for each name and unit is as little as a part can be. */
function marginSums(table: SumsTable, margin: Margin, { from, to }: Span, query: PartsQuery): RawBuilder<unknown> {
  const { groupBy, userId, model, provider, groupId } = query
  const name = userId ?? model ?? provider
  const conditions = [
    sql`hours = ${table === 'usage_hours' ? 1 : 24} and margin = ${margin} and at >= ${from} and at < ${to}`,
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(groupId === undefined ? [] : [sql`name in ${membersOf(groupId)}`]),
    amongOf(query, marginColumns),
  ]
  return sql`
    select ${bucketOf(query)} as bucket, ${groupOf(groupBy, marginColumns)} as grp, ${sql.join(summandNames.map((each) => sql.ref(each)))}
    from usage_margins ${memberships(groupBy, sql`name`)} where ${sql.join(conditions, sql` and `)}`
}

function seriesSums(table: SumsTable, { from, to }: Span, query: PartsQuery): RawBuilder<unknown> {
  const { groupBy, userId, keyId, model, provider, groupId } = query
  const conditions = [
    unitsOf(table, { from, to }, query),
    amongOf(query, seriesColumns),
    ...(userId === undefined ? [] : [sql`s.user_id = ${userId}`]),
    ...(keyId === undefined ? [] : [sql`s.key_id = ${keyId}`]),
    ...(model === undefined ? [] : [sql`s.model = ${model}`]),
    ...(provider === undefined ? [] : [sql`s.provider = ${provider}`]),
    ...(groupId === undefined ? [] : [sql`s.user_id in ${membersOf(groupId)}`]),
  ]
  return sql`
    select ${bucketOf(query)} as bucket, ${groupOf(groupBy, seriesColumns)} as grp, ${summed}
    from ${sql.table(table)} join usage_series s on s.row = series ${memberships(groupBy, sql`s.user_id`)}
    where ${sql.join(conditions, sql` and `)} group by 1, 2`
}

/**
 * The units of the sums that count. For some groups of many each is named: the engine then looks up the few rows of
 * their series, in place of reading all rows of the span.
 */
function unitsOf(table: SumsTable, { from, to }: Span, { among }: PartsQuery): RawBuilder<unknown> {
  const unitMs = table === 'usage_hours' ? hourMs : dayMs
  const count = (to - from) / unitMs
  if (among === undefined || count > unitsMax) return sql`at >= ${from} and at < ${to}`
  return sql`at in (${sql.join(Array.from({ length: count }, (_, index) => from + index * unitMs))})`
}

const unitsMax = 100

/** Without `among` all groups. */
function amongOf(
  { among, groupBy }: PartsQuery,
  columns: Record<keyof typeof rowColumns, string>,
): RawBuilder<unknown> {
  if (among === undefined || groupBy === 'group' || groupBy === 'none') return sql`1 = 1`
  return among.length === 0 ? sql`1 = 0` : sql`${sql.ref(columns[groupBy])} in (${sql.join([...among])})`
}

const summed = sql.join(summandNames.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`))

/** Never null: rows without a user, for example, are a group of their own. */
function groupOf(groupBy: UsageGrouping, columns: Record<keyof typeof rowColumns, string>): RawBuilder<string> {
  if (groupBy === 'none') return sql<string>`''`
  if (groupBy === 'group') return sql<string>`coalesce(m.group_id, '')`
  return sql<string>`coalesce(${sql.ref(columns[groupBy])}, '')`
}

function membersOf(groupId: string): RawBuilder<unknown> {
  return sql`(select user_id from memberships where group_id = ${groupId})`
}

/** The condition for rows, as `r`. */
export function rowFilter({ from, to, userId, keyId, model, provider, groupId }: UsageFilter): RawBuilder<SqlBool> {
  const conditions = [
    sql`r.at >= ${from} and r.at < ${to}`,
    ...(userId === undefined ? [] : [sql`r.user_id = ${userId}`]),
    ...(keyId === undefined ? [] : [sql`r.key_id = ${keyId}`]),
    ...(model === undefined ? [] : [sql`r.model_served = ${model}`]),
    ...(provider === undefined ? [] : [sql`r.provider = ${provider}`]),
    ...(groupId === undefined ? [] : [sql`r.user_id in ${membersOf(groupId)}`]),
  ]
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** Groups are those that users have now: a user counts in each of theirs. */
function memberships(groupBy: UsageGrouping, user: RawBuilder<unknown>): RawBuilder<unknown> {
  return groupBy === 'group' ? sql`left join memberships m on m.user_id = ${user}` : sql``
}

function bucketOf({ from, bucketMs }: PartsQuery): RawBuilder<number> {
  if (bucketMs === null) return sql<number>`cast(${from} as bigint)`
  return sql<number>`at - (at - ${from}) % cast(${bucketMs} as bigint)`
}
