/**
 * Prices usage records again, after a price was wrong. A step is one transaction: the costs of its rows, and what they
 * change in the sums and in the counters of budgets. So a step that is broken off has done nothing, a step that is
 * done twice changes nothing the second time, and counters stay the sum of their records.
 */
import { sql, type RawBuilder, type Selectable, type Transaction } from 'kysely'
import { costOf, type Consumption } from '#pricing/cost.ts'
import { priceAt } from '#pricing/price.ts'
import type { Connection, Engine } from '../database.ts'
import { settleCharges } from '../money/settle-charges.ts'
import type { Place } from '../page.ts'
import type { Tables, UsageRecordsTable } from '../schema.ts'
import { floorTo, hourMs } from './usage-spans.ts'
import { addSums, noTimes, SeriesNumbers, summandNames, type HourSums, type SeriesName } from './usage-sums.ts'
import type { RecomputedStep, RecomputeStep, RepricedModel, UsageWork } from './usage.ts'

/** Rows of one step: some ten milliseconds of SQLite's write lock, or of the main thread with PostgreSQL. */
const stepRows = { sqlite: 1000, postgres: 400 } as const

/** Pricing again on this database. */
export function usageRecompute(connection: Connection): Pick<UsageWork, 'recomputeSome'> {
  const numbers = new SeriesNumbers()
  return {
    async recomputeSome(step) {
      const { kysely, engine } = connection
      const priceRow = pricing(step.models)
      const last = await lastOfStep(connection, step)
      const given = await readRows(kysely, engine, { step, last, lock: false })
      const rows = given.map(priceRow)
      if (step.dryRun || !rows.some(isChanged)) return { ...sumsOf(rows), last }
      const numberOf = await numbers.of(kysely, rows.map(seriesOf))
      const ids = new Set(given.map(({ id }) => id))
      return await kysely.transaction().execute(async (trx) => {
        // Read again under their locks: another process may do the same step, or has purged some.
        const locked = await readRows(trx, engine, { step, last, lock: true })
        const priced = locked.filter(({ id }) => ids.has(id)).map(priceRow)
        await writeRows(trx, engine, priced.filter(isChanged), numberOf)
        return { ...sumsOf(priced), last }
      })
    },
  }
}

/** The last row of a step, whatever its model: a step is as short when few rows are of the models. Null at the end. */
async function lastOfStep({ kysely, engine }: Connection, step: RecomputeStep): Promise<Place<number> | null> {
  const { rows } = await sql<Place<number>>`
    select at, id from usage_records where ${behind(step)} order by at, id limit 1 offset ${stepRows[engine] - 1}`.execute(
    kysely,
  )
  return rows[0] ?? null
}

function behind({ from, to, after }: RecomputeStep): RawBuilder<unknown> {
  const span = sql`at >= ${Math.max(from, after?.at ?? 0)} and at < ${to}`
  return after === null ? span : sql`${span} and (at, id) > (${after.at}, ${after.id})`
}

const columns = [
  'at',
  'id',
  'user_id',
  'key_id',
  'model_id',
  'model_served',
  'provider',
  'upstream_model',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'duration_ms',
  'units',
  'cost',
  'price_id',
  'counters',
] as const

type Row = Pick<Selectable<UsageRecordsTable>, (typeof columns)[number]> & { readonly uncounted: number | null }

interface Reading {
  readonly step: RecomputeStep
  readonly last: Place<number> | null
  readonly lock: boolean
}

/** The index on (at) finds them, in one order everywhere, so that two processes never wait for each other. */
async function readRows(
  kysely: Connection['kysely'],
  engine: Engine,
  { step, last, lock }: Reading,
): Promise<readonly Row[]> {
  const isPostgres = engine === 'postgres'
  const conditions = [
    behind(step),
    sql`upstream_status >= 200 and upstream_status < 300`,
    ...(last === null ? [] : [sql`at <= ${last.at} and (at, id) <= (${last.at}, ${last.id})`]),
    ...(step.isEveryModel ? [] : [ofModels(step.models)]),
  ]
  const { rows } = await sql<Row>`
    select ${sql.join(columns.map((name) => sql.ref(name)))}, ${isPostgres ? sql`uncounted` : sql`null as uncounted`}
    from usage_records where ${sql.join(conditions, sql` and `)} order by at, id
    ${lock && isPostgres ? sql`for update` : sql``}`.execute(kysely)
  return rows
}

function ofModels(models: readonly RepricedModel[]): RawBuilder<unknown> {
  if (models.length === 0) return sql`1 = 0`
  const among = (column: string, values: readonly string[]) => sql`${sql.ref(column)} in (${sql.join(values)})`
  const byId = among(
    'model_id',
    models.map(({ id }) => id),
  )
  const byName = among(
    'upstream_model',
    models.map(({ name }) => name),
  )
  return sql`(${byId} or ${byName})`
}

interface PricedRow {
  readonly row: Row
  readonly isKnown: boolean
  readonly cost: number | null
  readonly priceId: string | null
}

/** How a row is priced: as `request-cost.ts` prices a request that ends. */
function pricing(models: readonly RepricedModel[]): (row: Row) => PricedRow {
  const byId = new Map(models.map((model) => [model.id, model]))
  const byName = new Map(models.map((model) => [model.name, model]))
  return (row) => {
    const kept = { row, cost: row.cost, priceId: row.price_id }
    // A plain model is known by its id, whatever its name is now; a component of a composite by its name alone.
    const isPlain = row.upstream_model === row.model_served
    const model = isPlain ? byId.get(row.model_id ?? '') : byName.get(row.upstream_model ?? '')
    if (model === undefined) return { ...kept, isKnown: false }
    const price = priceAt(model.prices, row.at)
    const cost = price === null ? null : costOf(price, consumptionOf(row))
    if (price !== null && cost !== null) return { row, isKnown: true, cost, priceId: price.id }
    // Nobody reported its tokens, so it costs what was reserved for it.
    if (price !== null && row.counters !== null && row.cost !== null) return { ...kept, isKnown: true }
    return { row, isKnown: true, cost: null, priceId: null }
  }
}

function consumptionOf(row: Row): Consumption {
  const units = row.units === null ? {} : (JSON.parse(row.units) as Record<string, number | undefined>)
  return {
    inputTokens: row.prompt_tokens,
    cachedTokens: row.cached_tokens ?? 0,
    cacheWriteTokens: row.cache_write_tokens ?? 0,
    audioInputTokens: units['audioInput'] ?? 0,
    imageInputTokens: units['imageInput'] ?? 0,
    outputTokens: row.completion_tokens,
    reasoningTokens: row.reasoning_tokens ?? 0,
    audioOutputTokens: units['audioOutput'] ?? 0,
    imageOutputTokens: units['imageOutput'] ?? 0,
    images: units['images'] ?? 0,
    audioMs: units['audioMs'] ?? 0,
    isBatch: units['batch'] === 1,
    durationMs: row.duration_ms,
  }
}

function isChanged({ row, cost, priceId }: PricedRow): boolean {
  return cost !== row.cost || priceId !== row.price_id
}

function sumsOf(rows: readonly PricedRow[]): Omit<RecomputedStep, 'last'> {
  return {
    rows: rows.length,
    changed: rows.filter(isChanged).length,
    skipped: rows.filter(({ isKnown }) => !isKnown).length,
    before: rows.reduce((sum, { row }) => sum + (row.cost ?? 0), 0),
    after: rows.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
  }
}

function seriesOf({ row }: PricedRow): SeriesName {
  return [row.user_id ?? '', row.key_id ?? '', row.model_served ?? '', row.provider ?? '']
}

async function writeRows(
  trx: Transaction<Tables>,
  engine: Engine,
  rows: readonly PricedRow[],
  numberOf: (name: SeriesName) => number,
): Promise<void> {
  const first = rows[0]
  const last = rows.at(-1)
  if (first === undefined || last === undefined) return
  const big = (value: number | null): RawBuilder<unknown> => sql`cast(${value} as bigint)`
  const values = sql.join(
    rows.map(({ row, cost, priceId }) => sql`(${big(row.at)}, ${big(row.id)}, ${big(cost)}, cast(${priceId} as text))`),
  )
  // The bounds let PostgreSQL look into the partitions of these days only.
  await sql`
    with priced (row_at, row_id, row_cost, row_price) as (values ${values})
    update usage_records set cost = row_cost, price_id = row_price from priced
    where at = row_at and id = row_id and at >= ${first.row.at} and at <= ${last.row.at}`.execute(trx)
  const differences = rows
    .map((priced) => ({ priced, cost: (priced.cost ?? 0) - (priced.row.cost ?? 0) }))
    .filter(({ cost }) => cost !== 0)
  // Rows that older versions have written are not in the sums yet.
  const counted = differences.filter(({ priced }) => priced.row.uncounted === null)
  await addSums(
    trx,
    engine,
    hourSums(counted.map(({ priced, cost }) => ({ at: priced.row.at, series: seriesOf(priced), cost }))),
    numberOf,
  )
  await settleCharges(
    trx,
    engine,
    differences.map(({ priced: { row }, cost }) => ({ at: row.at, cost, counters: row.counters, slices: null })),
  )
}

interface CostDifference {
  readonly at: number
  readonly series: SeriesName
  readonly cost: number
}

/** Each hour of a series once. */
function hourSums(differences: readonly CostDifference[]): readonly HourSums[] {
  const grouped = Map.groupBy(differences, ({ at, series }) => JSON.stringify([floorTo(at, hourMs), series]))
  return [...grouped.values()].flatMap((list) => {
    const [first] = list
    if (first === undefined) return []
    const cost = list.reduce((sum, each) => sum + each.cost, 0)
    const values = summandNames.map((name) => (name === 'cost' ? cost : 0))
    return [{ at: floorTo(first.at, hourMs), series: first.series, values, times: noTimes }]
  })
}
