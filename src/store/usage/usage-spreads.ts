/**
 * The histograms of how long requests took, which are written in the transaction of the sums. They are kept of
 * everything, each model and each provider; for each user they would cost every request more than they tell.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'
import { insertCells } from './insert-cells.ts'
import { addText, addTo, spreadText, type Spread } from './spread.ts'
import { dayMs, floorTo } from './usage-spans.ts'

const margins = { model: 2, provider: 3, all: null } as const
export type SpreadMargin = keyof typeof margins

/** The times of the answered requests of a series in an hour, as buckets of spread.ts. */
export interface HourTimes {
  readonly at: number
  readonly series: readonly [userId: string, keyId: string, model: string, provider: string]
  readonly times: { readonly durations: number[]; readonly firstTokens: number[] }
}

interface Spreads {
  readonly key: readonly [hours: number, margin: SpreadMargin, at: number, name: string]
  readonly durations: Spread
  readonly firstTokens: Spread
}

/** Rows of one look-up. */
const lookUpMax = 200

/**
 * Adds the times of these sums to the histograms that are stored. It reads them first, so the transaction must have
 * written the margins of the same names: their rows are its lock.
 */
export async function addSpreads(trx: Transaction<Tables>, engine: Engine, sums: readonly HourTimes[]): Promise<void> {
  const spreads = spreadsOf(sums)
  const all = [...spreads.values()]
  for (let start = 0; start < all.length; start += lookUpMax) {
    const keys = all
      .slice(start, start + lookUpMax)
      .map(
        ({ key: [hours, margin, at, name] }) =>
          sql`(cast(${hours} as integer), cast(${margin} as text), cast(${at} as bigint), cast(${name} as text))`,
      )
    const { rows } = await sql<Stored>`
      select hours, margin, at, name, durations, first_tokens from usage_spreads
      where (hours, margin, at, name) in (values ${sql.join(keys)})`.execute(trx)
    for (const row of rows) {
      const own = spreads.get([row.hours, row.margin, row.at, row.name].join('\t'))
      if (own === undefined) continue
      addText(own.durations, row.durations)
      addText(own.firstTokens, row.first_tokens)
    }
  }
  const cells = all.flatMap(({ key, durations, firstTokens }) => [
    ...key,
    spreadText(durations),
    spreadText(firstTokens),
  ])
  await insertCells(trx, engine, { table: 'usage_spreads', columns, tail, cells })
}

interface Stored {
  readonly hours: number
  readonly margin: string
  readonly at: number
  readonly name: string
  readonly durations: string
  readonly first_tokens: string
}

const columns = ['hours', 'margin', 'at', 'name', 'durations', 'first_tokens'] as const
const tail =
  'on conflict (hours, margin, at, name) do update set durations = excluded.durations, first_tokens = excluded.first_tokens'

function spreadsOf(sums: readonly HourTimes[]): Map<string, Spreads> {
  const found = new Map<string, Spreads>()
  for (const each of sums) {
    if (each.times.durations.length === 0) continue
    for (const key of keysOf(each)) {
      const { durations, firstTokens } = spreadsAt(found, key)
      for (const bucket of each.times.durations) addTo(durations, bucket, 1)
      for (const bucket of each.times.firstTokens) addTo(firstTokens, bucket, 1)
    }
  }
  return found
}

/** The histograms in which the times of a series count. */
function keysOf({ at, series }: HourTimes): readonly Spreads['key'][] {
  const names = Object.entries(margins) as readonly (readonly [SpreadMargin, 2 | 3 | null])[]
  return names.flatMap(([margin, part]): Spreads['key'][] => {
    const name = part === null ? '' : series[part]
    return [
      [1, margin, at, name],
      [24, margin, floorTo(at, dayMs), name],
    ]
  })
}

function spreadsAt(found: Map<string, Spreads>, key: Spreads['key']): Spreads {
  const text = key.join('\t')
  let own = found.get(text)
  if (own === undefined) found.set(text, (own = { key, durations: new Map(), firstTokens: new Map() }))
  return own
}
