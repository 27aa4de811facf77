/** Tells people when a budget has reached one of its thresholds: once for each, by the process that sees it first. */
import { counterOf, reachedThreshold, type BudgetRecord } from '#budgets/budget.ts'
import { windowAt } from '#budgets/window.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'
import type { WebhookEvent } from '#store/webhooks/outbox.ts'

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
    for (const { id, spent, notified } of await store.budgets.spent([...named.keys()])) {
      const budget = named.get(id)
      const reached = budget === undefined ? null : reachedThreshold(budget, spent)
      if (budget === undefined || reached === null || reached <= notified) continue
      const figures = { percent: reached, spent }
      if (await store.budgets.noteThreshold(id, reached, eventOf(budget, figures, clock.now())))
        tell(deps, budget, figures)
    }
  }
}

function currentCounter(budget: BudgetRecord, now: number): string {
  return counterOf(budget, windowAt(budget.period, budget.timeZone, now))
}

interface Figures {
  readonly percent: number
  readonly spent: number
}

function eventOf(
  { id, scope, scopeId, period, amount, hard }: BudgetRecord,
  figures: Figures,
  at: number,
): WebhookEvent {
  const data = { scope, scope_id: scopeId, period, hard, amount, ...figures }
  return { type: 'budget.threshold', subject: id, at, userId: scope === 'user' ? scopeId : null, data }
}

function tell(
  { metrics, logger }: ThresholdDeps,
  { id, scope, scopeId, period, amount }: BudgetRecord,
  { percent, spent }: Figures,
): void {
  metrics.budgetThreshold(scope, percent)
  logger.warn('a budget has reached a threshold', { budget: id, scope, scopeId, period, percent, spent, amount })
}
