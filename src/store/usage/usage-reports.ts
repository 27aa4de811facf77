/**
 * Reports of usage: whole days and whole hours come from the sums, and what is left at both ends of the period from
 * the rows, all in one statement and so of one moment. Rows that the sums do not have yet are read as rows.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Connection } from '../database.ts'
import { decodeGroupCursor, encodeGroupCursor } from '../page.ts'
import { dayMs, floorTo, hourMs, summandNames, summands } from './usage-sums.ts'
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
export function usageReports(connection: Connection): Pick<UsageWork, 'totals' | 'series'> {
  const reader = new Reader(connection)
  return {
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

async function readSeries(connection: Connection, reader: Reader, query: UsageSeriesQuery): Promise<UsageSeries> {
  const parts = await reader.parts(query)
  if (query.groupBy === 'none' || query.groups === undefined) {
    return { points: await readPoints(connection, parts), others: [], nextCursor: null }
  }
  const { names, nextCursor } = await readGroups(connection, reader, query)
  if (names.length === 0) return { points: [], others: [], nextCursor: null }
  const named = sql<SqlBool>`grp in (${sql.join(names)})`
  const points = await readPoints(connection, parts, named)
  const others =
    query.groups.kind === 'top'
      ? await readPoints(
          connection,
          sql`select bucket, '' as grp, ${sql.join(summandNames.map((name) => sql.ref(name)))} from (${parts}) as parts where not ${named}`,
        )
      : []
  return { points, others: others.map((point) => ({ ...point, group: null })), nextCursor }
}

/** The groups that the answer has, over the whole period. */
async function readGroups(
  { engine, kysely }: Connection,
  reader: Reader,
  { groups, ...query }: UsageSeriesQuery,
): Promise<{ readonly names: readonly string[]; readonly nextCursor: string | null }> {
  if (groups === undefined) return { names: [], nextCursor: null }
  const parts = await reader.parts({ ...query, bucketMs: null })
  const byName = engine === 'postgres' ? sql`grp collate "C"` : sql`grp`
  const after = groups.kind === 'page' && groups.cursor != null ? decodeGroupCursor(groups.cursor) : null
  const { rows } = await sql<{ name: string }>`
    select grp as name from (${parts}) as parts
    where ${after === null ? sql`1 = 1` : sql`${byName} > ${after}`}
    group by grp order by ${groups.kind === 'top' ? sql`sum(requests) desc, ${byName}` : byName}
    limit ${groups.limit + 1}`.execute(kysely)
  const names = rows.slice(0, groups.limit).map(({ name }) => name)
  const last = names.at(-1)
  const isLast = groups.kind === 'top' || rows.length <= groups.limit || last === undefined
  return { names, nextCursor: isLast ? null : encodeGroupCursor(last) }
}

async function readPoints(
  { engine, kysely }: Connection,
  parts: RawBuilder<unknown>,
  where: RawBuilder<SqlBool> = sql<SqlBool>`1 = 1`,
): Promise<readonly UsagePoint[]> {
  const byName = engine === 'postgres' ? sql`grp collate "C"` : sql`grp`
  const { rows } = await sql<UsageTotals & { bucket: number; grp: string }>`
    select bucket, grp, ${totalColumns} from (${parts}) as parts where ${where}
    group by bucket, grp order by bucket, ${byName}`.execute(kysely)
  return rows.map(({ bucket, grp, ...totals }) => ({ at: bucket, group: grp === '' ? null : grp, ...totals }))
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
  /** Null for one bucket. */
  readonly bucketMs: number | null
}

interface Span {
  readonly from: number
  readonly to: number
}

const rowColumns = { model: 'model_served', user: 'user_id', key: 'key_id', provider: 'provider' } as const
const seriesColumns = { model: 'model', user: 'user_id', key: 'key_id', provider: 'provider' } as const

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
      ...days.map((span) => this.#sums('usage_days', span, query)),
      ...hours.map((span) => this.#sums('usage_hours', span, query)),
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

  #sums(table: 'usage_hours' | 'usage_days', { from, to }: Span, query: PartsQuery): RawBuilder<unknown> {
    const { groupBy, userId, keyId, model, groupId } = query
    const group =
      groupBy === 'none'
        ? sql`''`
        : groupBy === 'group'
          ? sql`coalesce(m.group_id, '')`
          : sql.ref(`s.${seriesColumns[groupBy]}`)
    return sql`
      select ${bucketOf(query)} as bucket, ${group} as grp, ${sql.join(summandNames.map((name) => sql.ref(name)))}
      from ${sql.table(table)} join usage_series s on s.row = series ${memberships(groupBy, sql`s.user_id`)}
      where ${sql.join(
        [
          sql`at >= ${from} and at < ${to}`,
          ...(userId === undefined ? [] : [sql`s.user_id = ${userId}`]),
          ...(keyId === undefined ? [] : [sql`s.key_id = ${keyId}`]),
          ...(model === undefined ? [] : [sql`s.model = ${model}`]),
          ...(groupId === undefined
            ? []
            : [sql`s.user_id in (select user_id from memberships where group_id = ${groupId})`]),
        ],
        sql` and `,
      )}`
  }

  #rows({ from, to }: Span, query: PartsQuery, and: RawBuilder<unknown> = sql`1 = 1`): RawBuilder<unknown> {
    const { groupBy } = query
    const group =
      groupBy === 'none'
        ? sql`''`
        : groupBy === 'group'
          ? sql`coalesce(m.group_id, '')`
          : sql`coalesce(${sql.ref(`r.${rowColumns[groupBy]}`)}, '')`
    const values = summandNames.map((name) => sql`${summands[name]} as ${sql.ref(name)}`)
    return sql`
      select ${bucketOf(query)} as bucket, ${group} as grp, ${sql.join(values)}
      from usage_records r ${memberships(groupBy, sql`r.user_id`)}
      where ${rowFilter({ ...query, from, to })} and ${and}`
  }
}

/** The condition for rows, as `r`. */
export function rowFilter({ from, to, userId, keyId, model, groupId }: UsageFilter): RawBuilder<SqlBool> {
  const conditions = [
    sql`r.at >= ${from} and r.at < ${to}`,
    ...(userId === undefined ? [] : [sql`r.user_id = ${userId}`]),
    ...(keyId === undefined ? [] : [sql`r.key_id = ${keyId}`]),
    ...(model === undefined ? [] : [sql`r.model_served = ${model}`]),
    ...(groupId === undefined ? [] : [sql`r.user_id in (select user_id from memberships where group_id = ${groupId})`]),
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

/** Which part of the period comes from where: a unit of sums is of use when it lies in one bucket. */
function spansOf({ from, to, bucketMs }: PartsQuery): {
  readonly days: Span[]
  readonly hours: Span[]
  readonly rows: Span[]
} {
  const fits = (unitMs: number): boolean => bucketMs === null || (bucketMs % unitMs === 0 && from % unitMs === 0)
  const [inHours, outsideHours] = fits(hourMs) ? split({ from, to }, hourMs) : [[], [{ from, to }]]
  const byDay = inHours.map((span): readonly [Span[], Span[]] => (fits(dayMs) ? split(span, dayMs) : [[], [span]]))
  return { days: byDay.flatMap(([days]) => days), hours: byDay.flatMap(([, hours]) => hours), rows: outsideHours }
}

/** The whole units of a span, and what is left at its ends. */
function split({ from, to }: Span, unitMs: number): [Span[], Span[]] {
  const first = floorTo(from + unitMs - 1, unitMs)
  const last = floorTo(to, unitMs)
  if (first >= last) return [[], [{ from, to }]]
  const ends = [
    { from, to: first },
    { from: last, to },
  ].filter((span) => span.from < span.to)
  return [[{ from: first, to: last }], ends]
}
