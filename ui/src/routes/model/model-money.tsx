/** What a model costs, what may be spent on it, and how much it may be asked in a time. */
import type { ModelRecord } from '../../api/schema.d.ts'
import { BudgetPanel } from '../budgets/budget-panel.tsx'
import { RatePanel } from '../budgets/rate-panel.tsx'
import styles from './model-form.module.css'
import { PricePanel } from './price-panel.tsx'

export function ModelMoney({ model }: { readonly model: ModelRecord }) {
  const target = { scope: 'model', id: model.id, name: model.name } as const
  return (
    <div className={styles.body}>
      <PricePanel model={model} />
      <BudgetPanel target={target} />
      <RatePanel target={target} />
    </div>
  )
}
