/** Tells people when a budget has reached one of its thresholds: once for each, by the process that sees it first. */
import { counterOf, reachedThreshold, type BudgetRecord } from '#budgets/budget.ts'
import { windowAt } from '#budgets/window.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'

export interface ThresholdDeps {
  readonly store: Pick<Store, 'budgets'>
  readonly state: LiveState
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
}

/** Work for a loop. Without budgets it does nothing. */
export function tellingThresholds(deps: ThresholdDeps): () => Promise<void> {
  const { store, state, clock } = deps
  return async () => {
    const budgets = [...state.catalog.budgets.values()].flat().filter(({ thresholds }) => thresholds.length > 0)
    if (budgets.length === 0) return
    const named = new Map(budgets.map((budget) => [currentCounter(budget, clock.now()), budget]))
    for (const { id, spent, notified } of await store.budgets.counters([...named.keys()])) {
      const budget = named.get(id)
      const reached = budget === undefined ? null : reachedThreshold(budget, spent)
      if (budget === undefined || reached === null || reached <= notified) continue
      if (await store.budgets.noteThreshold(id, reached)) tell(deps, budget, { percent: reached, spent })
    }
  }
}

function currentCounter(budget: BudgetRecord, now: number): string {
  return counterOf(budget, windowAt(budget.period, budget.timeZone, now))
}

function tell(
  { metrics, logger }: ThresholdDeps,
  { id, scope, scopeId, period, amount }: BudgetRecord,
  { percent, spent }: { readonly percent: number; readonly spent: number },
): void {
  metrics.budgetThreshold(scope, percent)
  logger.warn('a budget has reached a threshold', { budget: id, scope, scopeId, period, percent, spent, amount })
}
