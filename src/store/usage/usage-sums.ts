/**
 * Sums of usage by hour and by day, for each user, key, model and provider that occur together (a series), and their
 * margins: the sums of everything, and of each user, model and provider alone. They are written in the transaction of
 * the rows, and stay when rows are purged: every report is made of them.
 */
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'
import { insertCells } from './insert-cells.ts'
import { bucketOfMs } from './spread.ts'
import { usageColumns, type UsageCell } from './usage-record.ts'
import { dayMs, floorTo, hourMs } from './usage-spans.ts'
import { addSpreads, type HourTimes } from './usage-spreads.ts'

/** What is summed, and how a row counts in it. The columns of both tables of sums. */
export const summands = {
  requests: sql`1`,
  errors: sql`case when status >= 400 then 1 else 0 end`,
  prompt_tokens: sql`coalesce(prompt_tokens, 0)`,
  completion_tokens: sql`coalesce(completion_tokens, 0)`,
  cached_tokens: sql`coalesce(cached_tokens, 0)`,
  cache_write_tokens: sql`coalesce(cache_write_tokens, 0)`,
  reasoning_tokens: sql`coalesce(reasoning_tokens, 0)`,
  request_bytes: sql`request_bytes`,
  response_bytes: sql`response_bytes`,
  duration_ms: sql`duration_ms`,
  cost: sql`coalesce(cost, 0)`,
  // A whole answer has its first byte at its end: only streams tell how long a reader waits.
  first_tokens: sql`case when streamed = 1 and first_token_ms is not null then 1 else 0 end`,
  first_token_ms: sql`case when streamed = 1 then coalesce(first_token_ms, 0) else 0 end`,
  failures: sql`case when status >= 500 then 1 else 0 end`,
  // Only streams that went on after their first token tell how fast a model writes.
  stream_tokens: sql`case when streamed = 1 and duration_ms > first_token_ms then coalesce(completion_tokens, 0) else 0 end`,
  stream_ms: sql`case when streamed = 1 and duration_ms > first_token_ms and completion_tokens > 0 then duration_ms - first_token_ms else 0 end`,
} as const satisfies Record<string, RawBuilder<unknown>>

export type Summand = keyof typeof summands

export const summandNames = Object.keys(summands) as readonly Summand[]

/** The four that name a series, in the order of the table. */
export type SeriesName = readonly [userId: string, keyId: string, model: string, provider: string]

/**
 * The margins, and what is left of a series in each. What every transaction writes comes last: its rows are locked until
 * the transaction ends, so the time from there on is as short as can be.
 */
const margins = [
  ['user', ([userId]) => [userId, '', '', '']],
  ['model', ([, , model]) => ['', '', model, '']],
  ['provider', ([, , , provider]) => ['', '', '', provider]],
  ['all', () => ['', '', '', '']],
] as const satisfies readonly (readonly [string, (series: SeriesName) => SeriesName])[]

export type Margin = (typeof margins)[number][0]

export interface HourSums extends HourTimes {
  readonly series: SeriesName
  readonly values: number[]
}

/** For sums that are not made of single requests. */
export const noTimes: HourSums['times'] = { durations: [], firstTokens: [] }

const place = (column: (typeof usageColumns)[number]): number => usageColumns.indexOf(column)
const atPlace = place('at')
const statusPlace = place('status')
const namePlaces = [place('user_id'), place('key_id'), place('model_served'), place('provider')] as const
const streamedPlace = place('streamed')
const firstTokenPlace = place('first_token_ms')
const durationPlace = place('duration_ms')
const completionPlace = place('completion_tokens')

/** Summands that are not a column of the row as it is, and how a row counts in each. */
const conditional = {
  requests: () => 1,
  errors: (row) => (Number(row[statusPlace]) >= 400 ? 1 : 0),
  failures: (row) => (Number(row[statusPlace]) >= 500 ? 1 : 0),
  first_tokens: (row) => (firstTokenMsOf(row) === null ? 0 : 1),
  first_token_ms: (row) => firstTokenMsOf(row) ?? 0,
  stream_tokens: (row) => (streamMsOf(row) > 0 ? Number(row[completionPlace] ?? 0) : 0),
  stream_ms: (row) => (Number(row[completionPlace] ?? 0) > 0 ? streamMsOf(row) : 0),
} as const satisfies Partial<Record<Summand, (row: readonly UsageCell[]) => number>>
const counts = new Map<Summand, (row: readonly UsageCell[]) => number>(
  Object.entries(conditional) as (readonly [Summand, (row: readonly UsageCell[]) => number])[],
)
type Counted = Exclude<Summand, keyof typeof conditional>
/** How a row counts in each summand, in their order. */
const countOf = summandNames.map((name) => {
  const column = counts.has(name) ? -1 : place(name as Counted)
  return counts.get(name) ?? ((row: readonly UsageCell[]): number => Number(row[column] ?? 0))
})

function firstTokenMsOf(row: readonly UsageCell[]): number | null {
  const firstTokenMs = row[firstTokenPlace] ?? null
  return row[streamedPlace] !== 1 || firstTokenMs === null ? null : Number(firstTokenMs)
}

/** The time of a stream after its first token; 0 when that is not known, or nothing came after it. */
function streamMsOf(row: readonly UsageCell[]): number {
  const firstTokenMs = firstTokenMsOf(row)
  return firstTokenMs === null ? 0 : Math.max(0, Number(row[durationPlace]) - firstTokenMs)
}

/** The sums of these rows by hour. */
export function sumsOf(rows: readonly (readonly UsageCell[])[]): readonly HourSums[] {
  const sums = new Map<string, HourSums>()
  for (const row of rows) {
    const at = floorTo(Number(row[atPlace]), hourMs)
    const [userId, keyId, model, provider] = namePlaces
    const key = `${at}\t${row[userId]}\t${row[keyId]}\t${row[model]}\t${row[provider]}`
    let sum = sums.get(key)
    if (sum === undefined) {
      const text = (column: number): string => String(row[column] ?? '')
      const values = summandNames.map(() => 0)
      const times = { durations: [], firstTokens: [] }
      sums.set(key, (sum = { at, series: [text(userId), text(keyId), text(model), text(provider)], values, times }))
    }
    const { values, times } = sum
    addTimes(times, row)
    countOf.forEach((count, index) => (values[index] = (values[index] ?? 0) + count(row)))
  }
  return [...sums.values()]
}

/** A request that was refused says nothing about how long an answer takes. */
function addTimes({ durations, firstTokens }: HourSums['times'], row: readonly UsageCell[]): void {
  if (Number(row[statusPlace]) >= 400) return
  durations.push(bucketOfMs(Number(row[durationPlace])))
  const firstTokenMs = firstTokenMsOf(row)
  if (firstTokenMs !== null) firstTokens.push(bucketOfMs(firstTokenMs))
}

/** The row numbers of series, remembered: they are never deleted. */
export class SeriesNumbers {
  readonly #numbers = new Map<string, number>()

  /** The numbers of all these series; unknown ones are added to the table, outside of any transaction. */
  async of(kysely: Kysely<Tables>, names: readonly SeriesName[]): Promise<(name: SeriesName) => number> {
    if (this.#numbers.size > numbersMax) this.#numbers.clear()
    const unknown = new Map<string, SeriesName>()
    for (const name of names) if (!this.#numbers.has(keyOf(name))) unknown.set(keyOf(name), name)
    // Sorted, so that two processes that add the same series never wait for each other.
    const missing = [...unknown].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, name]) => name)
    for (let start = 0; start < missing.length; start += lookUpMax) {
      await this.#add(kysely, missing.slice(start, start + lookUpMax))
    }
    return (name) => {
      const number = this.#numbers.get(keyOf(name))
      if (number === undefined) throw new Error('a series has no number')
      return number
    }
  }

  async #add(kysely: Kysely<Tables>, names: readonly SeriesName[]): Promise<void> {
    const tuples = sql.join(names.map((name) => sql`(${sql.join([...name])})`))
    await sql`insert into usage_series (user_id, key_id, model, provider) values ${tuples} on conflict do nothing`.execute(
      kysely,
    )
    const { rows } = await sql<{ row: number; user_id: string; key_id: string; model: string; provider: string }>`
      select row, user_id, key_id, model, provider from usage_series
      where (user_id, key_id, model, provider) in (values ${tuples})`.execute(kysely)
    for (const row of rows) this.#numbers.set(keyOf([row.user_id, row.key_id, row.model, row.provider]), row.row)
  }
}

const numbersMax = 200_000
/** Series of one statement. */
const lookUpMax = 200

function keyOf(name: SeriesName): string {
  return name.join('\t')
}

/**
 * Adds sums to those that are stored. Rows are written in one order everywhere, so that two processes never wait for
 * each other; they stay locked until the transaction ends, so this comes last in it.
 */
export async function addSums(
  trx: Transaction<Tables>,
  engine: Engine,
  sums: readonly HourSums[],
  numberOf: (name: SeriesName) => number,
): Promise<void> {
  for (const [table, own] of [['usage_hours', sums] as const, ['usage_days', byDay(sums)] as const]) {
    const rows = own.map(({ at, series, values }) => [at, numberOf(series), ...values])
    const ordered = rows.toSorted(
      ([at = 0, series = 0], [otherAt = 0, otherSeries = 0]) => at - otherAt || series - otherSeries,
    )
    await insertCells(trx, engine, { table, columns: sumColumns, tail: addingTail(table), cells: ordered.flat() })
  }
  const cells = margins.flatMap(([margin, part]) => {
    const hours = merged(sums, ({ at, series }) => [at, part(series)])
    return [...marginCells(margin, 1, hours), ...marginCells(margin, 24, byDay(hours))]
  })
  await insertCells(trx, engine, { table: 'usage_margins', columns: marginColumns, tail: marginTail, cells })
  await addSpreads(trx, engine, sums)
}

function marginCells(margin: Margin, hours: number, sums: readonly HourSums[]): readonly UsageCell[] {
  const ordered = sums
    .map(({ at, series, values }) => [at, series.join(''), values] as const)
    .toSorted(([at, name], [otherAt, otherName]) => at - otherAt || (name < otherName ? -1 : 1))
  return ordered.flatMap(([at, name, values]) => [hours, margin, at, name, ...values])
}

function byDay(sums: readonly HourSums[]): readonly HourSums[] {
  return merged(sums, ({ at, series }) => [floorTo(at, dayMs), series])
}

/** Those that have one time and one name, as one. */
function merged(
  sums: readonly HourSums[],
  keyed: (sums: HourSums) => readonly [at: number, series: SeriesName],
): readonly HourSums[] {
  const found = new Map<string, HourSums>()
  for (const each of sums) {
    const [at, series] = keyed(each)
    const key = `${at}\t${keyOf(series)}`
    const before = found.get(key)
    if (before === undefined) found.set(key, { at, series, values: [...each.values], times: noTimes })
    else each.values.forEach((value, index) => (before.values[index] = (before.values[index] ?? 0) + value))
  }
  return [...found.values()]
}

const sumColumns = ['at', 'series', ...summandNames] as const
const marginColumns = ['hours', 'margin', 'at', 'name', ...summandNames] as const
const marginTail = addingTail('usage_margins', 'hours, margin, at, name')

function addingTail(table: string, key = 'at, series'): string {
  const values = summandNames.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  return `on conflict (${key}) do update set ${values.join(', ')}`
}
