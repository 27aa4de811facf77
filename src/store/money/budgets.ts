/** Budgets, and what their counters say. */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
import type { BudgetPeriod, BudgetRecord, BudgetScope } from '#budgets/budget.ts'
import { holderGoneMs } from '#budgets/budget-place.ts'
import { checkedChange, type Check } from '../checked-change.ts'
import type { Connection, Database, Engine } from '../database.ts'
import { refusing } from '../errors.ts'
import { flag, flagIfSet, type BudgetsTable, type Tables } from '../schema.ts'
import { addEvent, type WebhookEvent } from '../webhooks/outbox.ts'
import { inChunks, lockCounter, now } from './budget-place.ts'

export type BudgetPatch = Partial<Pick<BudgetRecord, 'amount' | 'hard' | 'thresholds' | 'timeZone' | 'declared'>>

/** What a counter says. */
export interface CounterSpending {
  readonly id: string
  readonly spent: number
  /** The highest threshold that was told, in percent. */
  readonly notified: number
}

/** A counter with all that is held of it. */
export interface CounterState extends CounterSpending {
  readonly budgetId: string
  readonly startsAt: number
  /** Held by all processes, those that count as gone included. */
  readonly held: number
  /** Held by processes that count as gone: nobody has seen the end of their requests. */
  readonly unreconciled: number
}

export interface BudgetStore {
  /** Every budget, in the order of creation. */
  all(): Promise<readonly BudgetRecord[]>
  get(id: string): Promise<BudgetRecord | null>
  /** Throws NameTaken when there is one on the same for the same period. */
  insert(budget: BudgetRecord): Promise<void>
  /** Null when there is no such budget. */
  update(id: string, patch: BudgetPatch, check?: Check<BudgetRecord>): Promise<BudgetRecord | null>
  /** Removes it; its counters stay, since records count in them. False when there was none. */
  delete(id: string, check?: Check<BudgetRecord>): Promise<boolean>
  /** The counters of these names; those that do not exist yet are left out. */
  counters(ids: readonly string[]): Promise<readonly CounterState[]>
  /** What is spent of those of these counters of which something is. */
  spent(ids: readonly string[]): Promise<readonly CounterSpending[]>
  /** Notes that a threshold is told, and stores the event; false when another process has told it, or a higher one. */
  noteThreshold(counter: string, percent: number, event: WebhookEvent): Promise<boolean>
  /** Makes free what processes that count as gone hold of a budget, and returns how much that was. */
  release(budgetId: string): Promise<number>
  /** Forgets processes that count as gone and hold nothing. */
  purge(): Promise<void>
}

/** The budgets of this database. */
export function budgetStore(database: Database): BudgetStore {
  const { kysely, engine } = database
  const connection = { kysely, engine }
  return {
    async all() {
      const rows = await kysely.selectFrom('budgets').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(budgetOf)
    },
    get: (id) => budgetRow(id).read(kysely),
    async insert(budget) {
      await refusing({ taken: `${budget.period} of this ${budget.scope}` }, () =>
        kysely.insertInto('budgets').values(rowOf(budget)).execute(),
      )
    },
    async update(id, { amount, hard, thresholds, timeZone, declared }, check) {
      const write = (on: Kysely<Tables>) =>
        on
          .updateTable('budgets')
          .set({
            amount,
            hard: flagIfSet(hard),
            thresholds: thresholds && JSON.stringify(thresholds),
            time_zone: timeZone,
            declared: flagIfSet(declared),
            // Without any other column there would be nothing to set.
            scope: sql<string>`scope`,
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
      const changed = await checkedChange(database, check, { ...budgetRow(id), write })
      return changed === undefined ? null : budgetOf(changed)
    },
    async delete(id, check) {
      const write = (on: Kysely<Tables>) => on.deleteFrom('budgets').where('id', '=', id).executeTakeFirst()
      const { numDeletedRows } = await checkedChange(database, check, { ...budgetRow(id), write })
      return numDeletedRows > 0n
    },
    counters: (ids) => inChunks(ids, (some) => countersOf(connection, some)),
    spent: (ids) =>
      inChunks(ids, (some) =>
        kysely
          .selectFrom('budget_counters')
          .select(['id', 'spent', 'notified'])
          .where('id', 'in', some)
          .where('spent', '>', 0)
          .execute(),
      ),
    noteThreshold: (counter, percent, event) =>
      kysely.transaction().execute((trx) => noteThreshold(trx, { counter, percent, event })),
    release: (budgetId) => release(connection, budgetId),
    purge: () => kysely.transaction().execute((trx) => purge(trx, engine)),
  }
}

async function noteThreshold(
  trx: Transaction<Tables>,
  { counter, percent, event }: { readonly counter: string; readonly percent: number; readonly event: WebhookEvent },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('budget_counters')
    .set({ notified: percent })
    .where('id', '=', counter)
    .where('notified', '<', percent)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await addEvent(trx, event)
  return numUpdatedRows > 0n
}

/** One budget, as its changes look at it first. */
const budgetRow = (id: string) => ({
  table: 'budgets' as const,
  id,
  read: async (on: Kysely<Tables>): Promise<BudgetRecord | null> => {
    const found = await on.selectFrom('budgets').selectAll().where('id', '=', id).executeTakeFirst()
    return found === undefined ? null : budgetOf(found)
  },
})

async function countersOf({ kysely, engine }: Connection, ids: readonly string[]): Promise<readonly CounterState[]> {
  const isGone = sql<boolean>`not exists (select 1 from budget_holders h
    where h.id = s.holder and h.seen_at >= ${now(engine)} - ${holderGoneMs})`
  return kysely
    .selectFrom('budget_counters as c')
    .leftJoin('budget_slices as s', (join) => join.onRef('s.counter', '=', 'c.id').on('s.held', '>', 0))
    .select(['c.id', 'c.budget_id as budgetId', 'c.starts_at as startsAt', 'c.spent', 'c.notified'])
    .select(sql<number>`cast(coalesce(sum(s.held), 0) as bigint)`.as('held'))
    .select(
      sql<number>`cast(coalesce(sum(case when ${isGone} then s.held else 0 end), 0) as bigint)`.as('unreconciled'),
    )
    .where('c.id', 'in', ids)
    .groupBy(['c.id', 'c.budget_id', 'c.starts_at', 'c.spent', 'c.notified'])
    .execute()
}

async function release({ kysely, engine }: Connection, budgetId: string): Promise<number> {
  return kysely.transaction().execute(async (trx) => {
    const counters = await trx
      .selectFrom('budget_counters')
      .select('id')
      .where('budget_id', '=', budgetId)
      .orderBy('id')
      .execute()
    let released = 0
    for (const { id } of counters) {
      await lockCounter(trx, engine, id)
      const gone = await trx
        .selectFrom('budget_slices as s')
        .select(['s.id', 's.held'])
        .where('s.counter', '=', id)
        .where('s.held', '>', 0)
        .where(
          sql<boolean>`not exists (select 1 from budget_holders h
            where h.id = s.holder and h.seen_at >= ${now(engine)} - ${holderGoneMs})`,
        )
        .execute()
      for (const slice of gone) {
        await trx.deleteFrom('budget_slices').where('id', '=', slice.id).execute()
        released += slice.held
      }
    }
    // A process that comes back after this begins under a new name.
    await trx
      .deleteFrom('budget_holders')
      .where('seen_at', '<', sql<number>`${now(engine)} - ${holderGoneMs}`)
      .execute()
    return released
  })
}

/** A process that comes back after this begins under a new name, so none of its changes is applied to a slice that is gone. */
async function purge(trx: Transaction<Tables>, engine: Engine): Promise<void> {
  await trx
    .deleteFrom('budget_holders')
    .where('seen_at', '<', sql<number>`${now(engine)} - ${holderGoneMs}`)
    .where(sql<boolean>`not exists (select 1 from budget_slices s where s.holder = budget_holders.id and s.held > 0)`)
    .execute()
  await trx
    .deleteFrom('budget_slices')
    .where('held', '<=', 0)
    .where(sql<boolean>`not exists (select 1 from budget_holders h where h.id = budget_slices.holder)`)
    .execute()
}

function rowOf(budget: BudgetRecord): Selectable<BudgetsTable> {
  return {
    id: budget.id,
    scope: budget.scope,
    scope_id: budget.scopeId,
    period: budget.period,
    time_zone: budget.timeZone,
    amount: budget.amount,
    hard: flag(budget.hard),
    thresholds: JSON.stringify(budget.thresholds),
    declared: flag(budget.declared),
    created_at: budget.createdAt,
  }
}

function budgetOf(row: Selectable<BudgetsTable>): BudgetRecord {
  return {
    id: row.id,
    scope: row.scope as BudgetScope,
    scopeId: row.scope_id,
    period: row.period as BudgetPeriod,
    timeZone: row.time_zone,
    amount: row.amount,
    hard: row.hard === 1,
    thresholds: JSON.parse(row.thresholds) as number[],
    declared: row.declared === 1,
    createdAt: row.created_at,
  }
}
