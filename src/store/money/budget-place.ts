/**
 * The shared place of hard budgets. Each change is one transaction that locks its counter, so that what was spent and
 * what all processes hold never exceed the amount. Times are the database's.
 */
import { sql, type Transaction } from 'kysely'
import { wantedMs, type BudgetPlace } from '#budgets/budget-place.ts'
import { applyChange, type SliceAnswer, type SliceChange } from '#budgets/slice.ts'
import type { Connection, Engine } from '../database.ts'
import type { Tables } from '../schema.ts'

/** The shared place in this database. */
export function budgetPlace(connection: Connection): BudgetPlace {
  const { engine, kysely } = connection
  return {
    async open(holder) {
      await kysely
        .insertInto('budget_holders')
        .values({ id: holder, seen_at: now(engine) })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now(engine) }))
        .execute()
    },
    async beat(holder) {
      const { numUpdatedRows } = await kysely
        .updateTable('budget_holders')
        .set({ seen_at: now(engine) })
        .where('id', '=', holder)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async close(holder) {
      await kysely.transaction().execute(async (trx) => {
        await trx.deleteFrom('budget_slices').where('holder', '=', holder).execute()
        await trx.deleteFrom('budget_holders').where('id', '=', holder).execute()
      })
    },
    change: (change) => kysely.transaction().execute((trx) => changeSlice(trx, engine, change)),
    async wanted(counters) {
      const rows = await inChunks(counters, (some) =>
        kysely
          .selectFrom('budget_counters')
          .select('id')
          .where('id', 'in', some)
          .where('wanted_at', '>', sql<number>`${now(engine)} - ${wantedMs}`)
          .execute(),
      )
      return rows.map(({ id }) => id)
    },
  }
}

/** Counters of one statement. */
const countersMax = 1000

/** What a query finds for all of these counters, some at a time. */
export async function inChunks<T>(
  counters: readonly string[],
  query: (some: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = []
  for (let start = 0; start < counters.length; start += countersMax)
    found.push(...(await query(counters.slice(start, start + countersMax))))
  return found
}

/** The database's clock, in milliseconds since 1970; a moment of the statement. */
export function now(engine: Engine) {
  return engine === 'postgres'
    ? sql<number>`cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`
    : sql<number>`cast(floor((julianday('now') - 2440587.5) * 86400000) as integer)`
}

/** Makes the counter's row and keeps others from changing it until the transaction ends. */
export async function lockCounter(
  trx: Transaction<Tables>,
  engine: Engine,
  counter: string,
): Promise<{ readonly spent: number }> {
  await trx
    .insertInto('budget_counters')
    .values(newCounter(counter))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const query = trx.selectFrom('budget_counters').select('spent').where('id', '=', counter)
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirstOrThrow()
}

/** A counter at its beginning. Its name holds the budget and the moment: see `counterOf`. */
export function newCounter(id: string): Tables['budget_counters'] {
  const at = id.lastIndexOf('@')
  return { id, budget_id: id.slice(0, at), starts_at: Number(id.slice(at + 1)), spent: 0, notified: 0, wanted_at: 0 }
}

async function changeSlice(trx: Transaction<Tables>, engine: Engine, change: SliceChange): Promise<SliceAnswer | null> {
  const { slice: id, counter, holder } = change
  const { spent } = await lockCounter(trx, engine, counter)
  // Locked, so that nobody counts the holder as gone in the middle of this.
  const holders = trx.selectFrom('budget_holders').select('id').where('id', '=', holder)
  const known = await (engine === 'postgres' ? holders.forShare() : holders).executeTakeFirst()
  if (known === undefined) return null
  await trx
    .insertInto('budget_slices')
    .values({ id, counter, holder, held: 0, sequence: 0, granted: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const slices = await trx
    .selectFrom('budget_slices')
    .selectAll()
    .where('counter', '=', counter)
    .where((is) => is.or([is('held', '>', 0), is('id', '=', id)]))
    .execute()
  const own = slices.find((slice) => slice.id === id)
  if (own === undefined) throw new Error('a slice that was just made is gone')
  const others = slices.reduce((sum, slice) => sum + (slice.id === id ? 0 : Math.max(0, slice.held)), 0)
  const { amount } = await amountOf(trx, counter)
  const { slice, answer } = applyChange({ amount, spent, others }, own, change)
  await trx
    .updateTable('budget_slices')
    .set({ held: slice.held, sequence: slice.sequence, granted: slice.granted })
    .where('id', '=', id)
    .execute()
  if (change.change > 0 && answer.granted < change.least) {
    await trx
      .updateTable('budget_counters')
      .set({ wanted_at: now(engine) })
      .where('id', '=', counter)
      .execute()
  }
  return answer
}

/** Nothing can be taken of a budget that was deleted. */
async function amountOf(trx: Transaction<Tables>, counter: string): Promise<{ readonly amount: number }> {
  const budgetId = counter.slice(0, counter.lastIndexOf('@'))
  const found = await trx.selectFrom('budgets').select('amount').where('id', '=', budgetId).executeTakeFirst()
  return found ?? { amount: 0 }
}
