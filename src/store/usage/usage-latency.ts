/**
 * Percentiles of how long requests took: whole days and hours come from the histograms, and what is left at both ends of
 * the period from the rows.
 */
import { sql, type RawBuilder } from 'kysely'
import type { Connection } from '../database.ts'
import { addText, addTo, bucketOfColumn, percentilesOf, type Spread } from './spread.ts'
import { spansOf, type Span } from './usage-spans.ts'
import type { SpreadMargin } from './usage-spreads.ts'
import type { LatencyPoint, LatencyQuery, UsageWork } from './usage.ts'

/** Percentiles from this database. */
export function usageLatency({ kysely }: Connection): Pick<UsageWork, 'latency'> {
  return {
    async latency(query) {
      const { days, hours, rows } = spansOf(query)
      const points = new Points()
      const read = async (unit: 1 | 24, span: Span): Promise<void> => {
        for (const [index, row] of (await readSpreads(kysely, query, unit, span)).entries()) {
          // Without a thread of its own the server answers others in between.
          if (index % turnRows === turnRows - 1) await turn()
          const point = points.at(row.bucket, row.grp)
          addText(point.durations, row.durations)
          addText(point.firstTokens, row.first_tokens)
        }
      }
      for (const span of days) await read(24, span)
      for (const span of hours) await read(1, span)
      for (const span of rows) {
        for (const { bucket, grp, kind, part, count } of await readRows(kysely, query, span)) {
          addTo(points.at(bucket, grp)[kind === 0 ? 'durations' : 'firstTokens'], part, count)
        }
      }
      return points.read(query.groupBy !== 'none')
    },
  }
}

const turnRows = 250

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

interface Times {
  readonly durations: Spread
  readonly firstTokens: Spread
}

class Points {
  readonly #found = new Map<string, Times & { at: number; name: string }>()

  at(at: number, name: string): Times {
    const key = `${at}\t${name}`
    let point = this.#found.get(key)
    if (point === undefined) this.#found.set(key, (point = { at, name, durations: new Map(), firstTokens: new Map() }))
    return point
  }

  read(isGrouped: boolean): readonly LatencyPoint[] {
    return [...this.#found.values()]
      .toSorted((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1))
      .map(({ at, name, durations, firstTokens }) => ({
        at,
        group: isGrouped && name !== '' ? name : null,
        duration: percentilesOf(durations),
        firstToken: percentilesOf(firstTokens),
      }))
  }
}

interface SpreadRow {
  readonly bucket: number
  readonly grp: string
  readonly durations: string
  readonly first_tokens: string
}

async function readSpreads(
  kysely: Connection['kysely'],
  query: LatencyQuery,
  hours: 1 | 24,
  { from, to }: Span,
): Promise<readonly SpreadRow[]> {
  const names = namesOf(query)
  const margin = query.model === undefined && query.provider === undefined ? marginOf(query.groupBy) : onlyMargin(query)
  const { rows } = await sql<SpreadRow>`
    select ${bucketOf(query)} as bucket, ${query.groupBy === 'none' ? sql`''` : sql`name`} as grp, durations, first_tokens
    from usage_spreads where hours = ${hours} and margin = ${margin} and at >= ${from} and at < ${to}
    and ${names === null ? sql`1 = 1` : names.length === 0 ? sql`1 = 0` : sql`name in (${sql.join([...names])})`}`.execute(
    kysely,
  )
  return rows
}

function marginOf(groupBy: LatencyQuery['groupBy']): SpreadMargin {
  return groupBy === 'none' ? 'all' : groupBy
}

function onlyMargin({ model }: LatencyQuery): SpreadMargin {
  return model === undefined ? 'provider' : 'model'
}

function namesOf({ model, provider, among }: LatencyQuery): readonly string[] | null {
  const name = model ?? provider
  return name === undefined ? (among ?? null) : [name]
}

interface RowCount {
  readonly bucket: number
  readonly grp: string
  /** 0 for durations, 1 for times to the first token. */
  readonly kind: number
  readonly part: number
  readonly count: number
}

/** The ends of the period, which are not whole hours, from the rows. */
async function readRows(
  kysely: Connection['kysely'],
  query: LatencyQuery,
  { from, to }: Span,
): Promise<readonly RowCount[]> {
  const { groupBy } = query
  const column = groupBy === 'provider' || query.provider !== undefined ? 'provider' : 'model_served'
  const names = namesOf(query)
  const which = sql`at >= ${from} and at < ${to} and ${
    names === null
      ? sql`1 = 1`
      : names.length === 0
        ? sql`1 = 0`
        : sql`coalesce(${sql.ref(column)}, '') in (${sql.join([...names])})`
  }`
  const counted = (kind: RawBuilder<unknown>, time: string, and: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select ${bucketOf(query)} as bucket, ${groupBy === 'none' ? sql`''` : sql`coalesce(${sql.ref(column)}, '')`} as grp,
      ${kind} as kind, ${bucketOfColumn(sql.ref(time))} as part, cast(count(*) as bigint) as count
    from usage_records where ${which} and ${and} group by 1, 2, 4`
  const { rows } = await sql<RowCount>`
    ${counted(sql`0`, 'duration_ms', sql`status < 400`)} union all
    ${counted(sql`1`, 'first_token_ms', sql`status < 400 and streamed = 1 and first_token_ms is not null`)}`.execute(
    kysely,
  )
  return rows
}

function bucketOf({ from, bucketMs }: LatencyQuery): RawBuilder<number> {
  if (bucketMs === null) return sql<number>`cast(${from} as bigint)`
  return sql<number>`at - (at - ${from}) % cast(${bucketMs} as bigint)`
}
