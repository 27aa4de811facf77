/** How much of a budget is spent, reserved and left, as a bar with marks at its thresholds. */
import { moneyText } from '../../components/money.ts'
import styles from './budget-bar.module.css'
import type { ShownBudget } from './budget-text.ts'

export interface BudgetBarProps {
  readonly budget: ShownBudget
  readonly thresholds?: readonly number[]
  readonly currency: string
}

export function BudgetBar({
  budget: { amount, spent, held, left, reached },
  thresholds = [],
  currency,
}: BudgetBarProps) {
  const part = (nano: number): number => (amount === 0 ? 100 : Math.min(100, (nano / amount) * 100))
  const spentWidth = part(spent)
  const heldWidth = Math.min(100 - spentWidth, part(held))
  const tone = left === 0 ? styles.empty : reached === null ? styles.calm : styles.reached
  const text = `${moneyText(spent, currency)} spent, ${moneyText(held, currency)} reserved, ${moneyText(left, currency)} left`
  return (
    <div className={styles.box}>
      <svg
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        className={`${styles.bar} ${tone}`}
        role="img"
        aria-label={text}
      >
        <rect className={styles.spent} width={spentWidth} height={1} />
        <rect className={styles.held} x={spentWidth} width={heldWidth} height={1} />
        {thresholds
          .filter((percent) => percent < 100)
          .map((percent) => (
            <rect key={percent} className={styles.mark} x={percent - 0.15} width={0.3} height={1} />
          ))}
      </svg>
      <ul className={styles.legend} aria-hidden="true">
        <li className={tone}>
          <span className={styles.spentMark} />
          {moneyText(spent, currency)} spent
        </li>
        {held > 0 && (
          <li className={tone}>
            <span className={styles.heldMark} />
            {moneyText(held, currency)} reserved
          </li>
        )}
        <li>{moneyText(left, currency)} left</li>
      </ul>
    </div>
  )
}
