/** The budgets on one key, user, group, model or provider, for administrators. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Budget } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { moneyText } from '../../components/money.ts'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { BudgetDialog } from './budget-dialog.tsx'
import type { BudgetTarget } from './budget-draft.ts'
import { BudgetItem } from './budget-item.tsx'
import styles from './budget-item.module.css'
import { amountEachText } from './budget-text.ts'
import { budgetsOnQuery } from './queries.ts'
import { RatePanel } from './rate-panel.tsx'

type Opened =
  | { readonly what: 'add' }
  | { readonly what: 'change' | 'delete' | 'reconcile'; readonly budget: Budget }
  | null

export function BudgetPanel({ target }: { readonly target: BudgetTarget }) {
  const budgets = useQuery(budgetsOnQuery(target))
  const [opened, setOpened] = useState<Opened>(null)
  const { currency = 'USD', data } = budgets.data ?? {}
  return (
    <Panel
      title="Budgets"
      actions={
        <Button disabled={data === undefined} onClick={() => setOpened({ what: 'add' })}>
          <Icon name="plus" />
          Add budget
        </Button>
      }
    >
      {budgets.error !== null && (
        <ErrorNotice error={asApiError(budgets.error)} onRetry={() => void budgets.refetch()} />
      )}
      {budgets.isPending && <Skeleton lines={3} label="Loading budgets" />}
      {data?.length === 0 && <p className={styles.about}>There is no budget on {target.name}.</p>}
      <ul className={styles.list}>
        {data?.map((budget) => (
          <AdminItem
            key={budget.id}
            budget={budget}
            currency={currency}
            onOpen={(what) => setOpened({ what, budget })}
          />
        ))}
      </ul>
      <OpenedDialog opened={opened} target={target} currency={currency} onClose={() => setOpened(null)} />
    </Panel>
  )
}

/** Both panels in a dialog, for records without a page. */
export function BudgetsDialog({ target, onClose }: { readonly target: BudgetTarget; readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={target.name} size="large" actions={<Button onClick={onClose}>Done</Button>}>
      <div className={styles.panels}>
        <BudgetPanel target={target} />
        <RatePanel target={target} />
      </div>
    </Dialog>
  )
}

interface AdminItemProps {
  readonly budget: Budget
  readonly currency: string
  readonly onOpen: (what: 'change' | 'delete' | 'reconcile') => void
}

function AdminItem({ budget, currency, onOpen }: AdminItemProps) {
  const name = amountEachText(budget, currency)
  return (
    <BudgetItem
      budget={budget}
      currency={currency}
      thresholds={budget.thresholds}
      declared={budget.declared}
      {...(!budget.declared && {
        actions: (
          <>
            <Button variant="quiet" icon aria-label={`Change the budget of ${name}`} onClick={() => onOpen('change')}>
              <Icon name="edit" />
            </Button>
            <Button variant="quiet" icon aria-label={`Delete the budget of ${name}`} onClick={() => onOpen('delete')}>
              <Icon name="trash" />
            </Button>
          </>
        ),
      })}
    >
      {budget.declared && <p className={styles.note}>The configuration file declares it. Change or delete it there.</p>}
      {budget.unreconciled > 0 && (
        <Notice tone="warning">
          <p>
            {moneyText(budget.unreconciled, currency)} were held by processes that are gone. Nobody saw what their last
            requests cost, so it counts as spent.
          </p>
          <Button onClick={() => onOpen('reconcile')}>Make it free…</Button>
        </Notice>
      )}
    </BudgetItem>
  )
}

interface OpenedDialogProps {
  readonly opened: Opened
  readonly target: BudgetTarget
  readonly currency: string
  readonly onClose: () => void
}

function OpenedDialog({ opened, target, currency, onClose }: OpenedDialogProps) {
  switch (opened?.what) {
    case undefined:
      return null
    case 'add':
      return <BudgetDialog target={target} budget={null} currency={currency} onClose={onClose} />
    case 'change':
      return <BudgetDialog target={target} budget={opened.budget} currency={currency} onClose={onClose} />
    case 'delete':
    case 'reconcile':
      return <Question what={opened.what} budget={opened.budget} currency={currency} onClose={onClose} />
  }
}

const questions = {
  delete: {
    title: 'Delete this budget?',
    consequence: 'Requests are no longer counted in it or refused by it. Usage records and costs stay.',
    confirm: 'Delete budget',
    done: 'Deleted the budget',
  },
  reconcile: {
    title: 'Make this amount free?',
    consequence:
      'Compare with the bill of the provider first: the last requests of the killed processes may have cost it.',
    confirm: 'Make it free',
    done: 'The amount is free again',
  },
} as const

interface QuestionProps {
  readonly what: keyof typeof questions
  readonly budget: Budget
  readonly currency: string
  readonly onClose: () => void
}

function Question({ what, budget, currency, onClose }: QuestionProps) {
  const queryClient = useQueryClient()
  const { done, ...texts } = questions[what]
  const params = { id: budget.id }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      {...texts}
      names={[what === 'delete' ? amountEachText(budget, currency) : moneyText(budget.unreconciled, currency)]}
      onConfirm={async () => {
        await (what === 'delete'
          ? api('DELETE /admin/api/v1/budgets/{id}', { params, of: budget })
          : api('POST /admin/api/v1/budgets/{id}/reconcile', { params }))
        await queryClient.invalidateQueries({ queryKey: resource.budgets })
        toast(done)
      }}
    />
  )
}
