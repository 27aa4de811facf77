/** What a model costs, and what may be spent on it. */
import type { ModelRecord } from '../../api/schema.d.ts'
import { BudgetPanel } from '../budgets/budget-panel.tsx'
import styles from './model-form.module.css'
import { PricePanel } from './price-panel.tsx'

export function ModelMoney({ model }: { readonly model: ModelRecord }) {
  return (
    <div className={styles.body}>
      <PricePanel model={model} />
      <BudgetPanel target={{ scope: 'model', id: model.id, name: model.name }} />
    </div>
  )
}
