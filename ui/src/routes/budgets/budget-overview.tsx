/** Lists of budgets that cannot be changed here: all of them for administrators, a user's own, and those to be noticed. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../../api/api-error.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { countText } from '../../components/format.ts'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsAdmin } from '../../shell/use-session.ts'
import { BudgetItem } from './budget-item.tsx'
import styles from './budget-item.module.css'
import { amountEachText, spentShareText, targetText, type ShownBudget } from './budget-text.ts'
import { allBudgetsQuery, ownBudgetsQuery, reachedBudgetsQuery } from './queries.ts'

const shownMax = 20
const noticedMax = 5

/** The budgets that the caller may see, those with the largest spent share first. */
export function BudgetOverview() {
  const isAdmin = useIsAdmin()
  const all = useQuery({ ...allBudgetsQuery, enabled: isAdmin })
  const own = useQuery({ ...ownBudgetsQuery, enabled: !isAdmin })
  const { data, error, refetch } = isAdmin ? all : own
  return (
    <Panel title={isAdmin ? 'Budgets' : 'Your budgets'}>
      {error !== null && <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} label="Loading budgets" />}
      {data?.data.length === 0 && (
        <p className={styles.about}>
          {isAdmin
            ? 'There are no budgets. Add one on a model, a group, or in the menu of a user, an API key or a provider.'
            : 'No budget limits what your requests may cost.'}
        </p>
      )}
      {data !== undefined && <BudgetList budgets={data.data} currency={data.currency} />}
    </Panel>
  )
}

function BudgetList({ budgets, currency }: { readonly budgets: readonly ShownBudget[]; readonly currency: string }) {
  const sorted = budgets.toSorted((one, other) => shareOf(other) - shareOf(one))
  return (
    <>
      <ul className={styles.list}>
        {sorted.slice(0, shownMax).map((budget, index) => (
          <BudgetItem key={index} budget={budget} currency={currency} target={targetText(budget)} />
        ))}
      </ul>
      {sorted.length > shownMax && (
        <p className={styles.note}>
          These are the {shownMax} of {countText(sorted.length, 'budget')} with the least left.
        </p>
      )}
    </>
  )
}

function shareOf({ spent, amount }: ShownBudget): number {
  return amount === 0 ? Infinity : spent / amount
}

/** Says which budgets have reached a threshold; nothing when none has. */
export function ReachedBudgets() {
  const isAdmin = useIsAdmin()
  const all = useQuery({ ...reachedBudgetsQuery, enabled: isAdmin })
  const own = useQuery({ ...ownBudgetsQuery, enabled: !isAdmin })
  const { data, currency = 'USD' }: { readonly data?: readonly ShownBudget[]; readonly currency?: string } =
    (isAdmin ? all.data : own.data) ?? {}
  const reached = (data ?? [])
    .filter((budget) => budget.reached !== null)
    .toSorted((one, other) => shareOf(other) - shareOf(one))
  if (reached.length === 0) return null
  const isExhausted = reached.some(({ left, hard }) => hard && left === 0)
  return (
    <div className={styles.notice}>
      <Notice tone={isExhausted ? 'danger' : 'warning'} role="status">
        <strong>{countText(reached.length, 'budget has', 'budgets have')} reached a threshold</strong>
        <ul className={styles.noticed}>
          {reached.slice(0, noticedMax).map((budget, index) => (
            <li key={index}>
              {targetText(budget)}: {spentShareText(budget)} of {amountEachText(budget, currency)} spent
              {budget.hard && budget.left === 0 && ', requests are refused'}
            </li>
          ))}
        </ul>
        <Link to="/cost">
          {reached.length > noticedMax ? `All ${reached.length} on the page Cost` : 'Costs and budgets'}
        </Link>
      </Notice>
    </div>
  )
}
