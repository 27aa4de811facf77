/** What may be spent, by whom or on what, in which time. Amounts are 10^-9 of the currency. */

export const budgetScopes = ['key', 'user', 'group', 'model', 'provider'] as const
export type BudgetScope = (typeof budgetScopes)[number]

export const budgetPeriods = ['day', 'week', 'month', 'total'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

export interface BudgetRecord {
  readonly id: string
  readonly scope: BudgetScope
  /** The id of the key, user, group, model or provider. */
  readonly scopeId: string
  readonly period: BudgetPeriod
  /** Where days begin: `Europe/Berlin`. */
  readonly timeZone: string
  readonly amount: number
  /** Requests that could exceed it are refused; otherwise it only counts and notifies. */
  readonly hard: boolean
  /** Percentages of the amount at which people are told, from the lowest. */
  readonly thresholds: readonly number[]
  readonly declared: boolean
  readonly createdAt: number
}

/** The time in which one counter counts; `endsAt` is null for a budget in all. */
export interface BudgetWindow {
  readonly startsAt: number
  readonly endsAt: number | null
}

/** The highest threshold that was reached, in percent; null below all of them. */
export function reachedThreshold({ thresholds, amount }: BudgetRecord, spent: number): number | null {
  return thresholds.findLast((percent) => spent * 100 >= amount * percent) ?? null
}

/** Budgets by what they are on. */
export type BudgetIndex = ReadonlyMap<string, readonly BudgetRecord[]>

/** The key of an entity in the index. */
export function scopeKey(scope: BudgetScope, id: string): string {
  return `${scope} ${id}`
}

export function indexBudgets(budgets: Iterable<BudgetRecord>): BudgetIndex {
  return Map.groupBy(budgets, ({ scope, scopeId }) => scopeKey(scope, scopeId))
}

/** The name of the counter of a budget in one window. */
export function counterOf(budget: BudgetRecord, { startsAt }: BudgetWindow): string {
  return `${budget.id}@${startsAt}`
}

/** The name of what one process holds of a counter. */
export function sliceOf(counter: string, holder: string): string {
  return `${counter}/${holder}`
}
