/** Creates a budget, or changes its amount, its thresholds and whether it refuses requests. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Budget } from '../../api/schema.d.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/input.tsx'
import { Switch } from '../../components/switch.tsx'
import { TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toast.tsx'
import {
  changeOf,
  draftOf,
  newBudgetOf,
  newDraft,
  problemsOf,
  type BudgetDraft,
  type BudgetTarget,
} from './budget-draft.ts'
import { amountEachText } from './budget-text.ts'

export interface BudgetDialogProps {
  readonly target: BudgetTarget
  /** Null creates one. */
  readonly budget: Budget | null
  readonly currency: string
  readonly onClose: () => void
}

const periods = [
  ['day', 'Day'],
  ['week', 'Week, from Monday'],
  ['month', 'Month'],
  ['total', 'In all, never renewed'],
] as const

export function BudgetDialog({ target, budget, currency, onClose }: BudgetDialogProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<BudgetDraft>(budget === null ? newDraft : draftOf(budget))
  const [problems, setProblems] = useState<ReturnType<typeof problemsOf>>({})
  const change = (fields: Partial<BudgetDraft>): void => setDraft({ ...draft, ...fields })
  async function save(): Promise<void> {
    const found = problemsOf(draft)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const saved = await (budget === null
      ? api('POST /admin/api/v1/budgets', { body: newBudgetOf(draft, target) })
      : api('PATCH /admin/api/v1/budgets/{id}', {
          params: { id: budget.id },
          body: changeOf(draft),
          of: budget,
        }))
    await queryClient.invalidateQueries({ queryKey: resource.budgets })
    toast(`${budget === null ? 'Added' : 'Saved'} a budget of ${amountEachText(saved, currency)}`)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={budget === null ? 'Add a budget' : 'Change the budget'}
      description={
        budget === null
          ? `What requests of ${target.name} may cost. Requests count from now on.`
          : `The budget on ${target.name}. What is spent stays.`
      }
      submitLabel={budget === null ? 'Add budget' : 'Save'}
      onSubmit={save}
    >
      <TextField
        label={`Amount in ${currency}`}
        param="amount"
        required
        inputMode="decimal"
        placeholder="50.00"
        error={problems['amount']}
        value={draft.amount}
        onChange={(amount) => change({ amount })}
      />
      {budget === null && <PeriodFields draft={draft} change={change} />}
      <Switch label="Refuse requests that could exceed it" checked={draft.hard} onChange={(hard) => change({ hard })} />
      <TextField
        label="Notify at (percent)"
        param="thresholds"
        hint="A warning in the log, in metrics and on the overview. Empty for none."
        error={problems['thresholds']}
        value={draft.thresholds}
        onChange={(thresholds) => change({ thresholds })}
      />
    </FormDialog>
  )
}

interface PeriodFieldsProps {
  readonly draft: BudgetDraft
  readonly change: (fields: Partial<BudgetDraft>) => void
}

function PeriodFields({ draft, change }: PeriodFieldsProps) {
  return (
    <>
      <Field label="Period" param="period">
        <Select
          value={draft.period}
          onChange={({ target }) =>
            change({ period: periods.find(([value]) => value === target.value)?.[0] ?? 'month' })
          }
        >
          {periods.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <TextField
        label="Time zone"
        param="time_zone"
        hint="Where days begin, for example Europe/Berlin."
        value={draft.timeZone}
        onChange={(timeZone) => change({ timeZone })}
      />
    </>
  )
}
