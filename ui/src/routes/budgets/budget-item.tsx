/** One budget of a list: what it is on, its amount, its bar, and the buttons of the page. */
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { BudgetBar } from './budget-bar.tsx'
import styles from './budget-item.module.css'
import { amountEachText, renewalText, spentShareText, type ShownBudget } from './budget-text.ts'

export interface BudgetItemProps {
  readonly budget: ShownBudget
  readonly currency: string
  /** Shown above the amount where a list has budgets on several things. */
  readonly target?: string
  /** Percentages; for administrators. */
  readonly thresholds?: readonly number[]
  readonly declared?: boolean
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export function BudgetItem(props: BudgetItemProps) {
  const { budget, currency, target, thresholds = [], declared = false, actions, children } = props
  return (
    <li className={styles.item}>
      <div className={styles.head}>
        <div className={styles.name}>
          {target !== undefined && <span className={styles.target}>{target}</span>}
          <span className={target === undefined ? styles.target : styles.amount}>
            {amountEachText(budget, currency)}
          </span>
          <Badge tone={budget.hard ? 'accent' : 'neutral'}>{budget.hard ? 'hard' : 'soft'}</Badge>
          {declared && <Badge tone="accent">declared</Badge>}
          {budget.reached !== null && (
            <Badge tone={budget.left === 0 ? 'danger' : 'warning'}>{spentShareText(budget)} spent</Badge>
          )}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      <BudgetBar budget={budget} thresholds={thresholds} currency={currency} />
      <p className={styles.note}>
        {[
          renewalText(budget),
          ...(thresholds.length === 0 ? [] : [`notifies at ${thresholds.map((each) => `${each}%`).join(', ')}`]),
        ].join(' · ')}
      </p>
      {children}
    </li>
  )
}
