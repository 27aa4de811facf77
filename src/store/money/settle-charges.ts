/**
 * Counts the costs of usage records in budgets, in the transaction that stores the records: so a counter is always
 * exactly the sum of its records.
 */
import { sql, type Transaction } from 'kysely'
import type { Engine } from '../database.ts'
import type { Tables } from '../schema.ts'
import { newCounter } from './budget-place.ts'

/** What a record says about money. */
export interface ChargedRow {
  readonly at: number
  readonly cost: number
  /** JSON lists; null for none. */
  readonly counters: string | null
  readonly slices: string | null
}

const dayMs = 86_400_000

/** Adds the costs to the counters and takes them from what processes hold. Counters stay locked until the transaction ends. */
export async function settleCharges(
  trx: Transaction<Tables>,
  engine: Engine,
  rows: readonly ChargedRow[],
): Promise<void> {
  const charged = rows.filter(({ counters, cost }) => counters !== null && cost !== 0)
  if (charged.length === 0) return
  const sums = sumsOf(charged)
  // In one order everywhere, so that two processes never wait for each other.
  for (const [counter, spent] of ordered(sums.counters)) {
    await trx
      .insertInto('budget_counters')
      .values({ ...newCounter(counter), spent })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ spent: sql<number>`budget_counters.spent + excluded.spent` }),
      )
      .execute()
  }
  for (const [key, spent] of ordered(sums.days)) {
    const [counter = '', day = '0'] = key.split(' ')
    await trx
      .insertInto('budget_days')
      .values({ counter, day: Number(day), spent })
      .onConflict((conflict) =>
        conflict.columns(['counter', 'day']).doUpdateSet({ spent: sql<number>`budget_days.spent + excluded.spent` }),
      )
      .execute()
  }
  for (const [slice, spent] of ordered(sums.slices)) await takeFromSlice(trx, engine, slice, spent)
}

/**
 * A process that lives may be overdrawn, which it knows. What is taken from one that counts as gone ends at 0: its
 * money was given to others.
 */
async function takeFromSlice(trx: Transaction<Tables>, engine: Engine, slice: string, spent: number): Promise<void> {
  const least = sql<number>`(case when exists (select 1 from budget_holders h where h.id = budget_slices.holder) then held - ${spent} else 0 end)`
  const larger = engine === 'postgres' ? sql.raw('greatest') : sql.raw('max')
  await trx
    .updateTable('budget_slices')
    .set({ held: sql<number>`${larger}(held - ${spent}, ${least})` })
    .where('id', '=', slice)
    .execute()
}

interface Sums {
  readonly counters: Map<string, number>
  /** The sums of each counter and day. */
  readonly days: Map<string, number>
  readonly slices: Map<string, number>
}

function sumsOf(rows: readonly ChargedRow[]): Sums {
  const sums: Sums = { counters: new Map(), days: new Map(), slices: new Map() }
  for (const { at, cost, counters, slices } of rows) {
    for (const counter of listOf(counters)) {
      add(sums.counters, counter, cost)
      add(sums.days, `${counter} ${at - (at % dayMs)}`, cost)
    }
    for (const slice of listOf(slices)) add(sums.slices, slice, cost)
  }
  return sums
}

function listOf(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as readonly string[])
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

function ordered(sums: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1))
}
