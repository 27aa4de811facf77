/** The part of the composition root that is about money: hard budgets of this process, and the work in the background. */
import { tellingThresholds } from '#admin/budgets/thresholds.ts'
import { pricingNewModels } from '#admin/prices/catalogue-prices.ts'
import { BudgetLedger } from '#budgets/budget-ledger.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Gateway } from '#gateway/gateway.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'

interface MoneyDeps {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/** What this process may spend. Closed with `opening`; by then no request may run and all records are stored. */
export function openBudgets({ store, clock, logger }: MoneyDeps, opening: AsyncDisposableStack): BudgetLedger {
  const budgets = new BudgetLedger({
    place: store.budgetPlace,
    clock,
    onFailure: (error) => logger.warn('budgets cannot be read; this process goes on with what it holds', { error }),
  })
  const failed = (error: unknown): void => logger.error('what is left of budgets could not be given back', { error })
  opening.defer(() => budgets.close().catch(failed))
  return budgets
}

interface MoneyWorkDeps extends MoneyDeps {
  readonly state: LiveState
  readonly feed: ChangeFeed
  readonly settings: LiveSettings
  readonly gateway: Gateway
}

/** What is done at intervals, by name. */
export function moneyWork(deps: MoneyWorkDeps): readonly (readonly [what: string, work: () => Promise<void>])[] {
  const { budgets, metrics } = deps.gateway
  return [
    ['sharing budgets', () => budgets.beat()],
    ['pricing models from the catalogue', pricingNewModels(deps)],
    ['telling thresholds of budgets', tellingThresholds({ ...deps, metrics })],
  ]
}
