/** The fields of a budget as they are typed, and the request that they make. */
import type { Budget, BudgetChange, NewBudget } from '../../api/schema.d.ts'
import { amountOf, amountText } from '../../components/money.ts'

/** What a budget is on. */
export interface BudgetTarget {
  readonly scope: Budget['scope']
  readonly id: string
  readonly name: string
}

export interface BudgetDraft {
  readonly amount: string
  readonly period: Budget['period']
  readonly timeZone: string
  readonly hard: boolean
  /** Percentages with commas between them. */
  readonly thresholds: string
}

export const newDraft: BudgetDraft = {
  amount: '',
  period: 'month',
  timeZone: 'UTC',
  hard: true,
  thresholds: '80, 100',
}

export function draftOf(budget: Budget): BudgetDraft {
  const { amount, period, time_zone: timeZone, hard, thresholds } = budget
  return { amount: amountText(amount), period, timeZone, hard, thresholds: thresholds.join(', ') }
}

/** What is wrong with the fields, by the parameter of the request; the server checks the rest. */
export function problemsOf({ amount, thresholds }: BudgetDraft): Readonly<Partial<Record<string, string>>> {
  return {
    ...(amountOf(amount) === null && { amount: 'Enter an amount such as 12.50, with at most nine decimals.' }),
    ...(percentagesOf(thresholds) === null && { thresholds: 'Enter percentages such as 50, 80, 100.' }),
  }
}

/** The request for fields without problems. */
export function changeOf(draft: BudgetDraft): Pick<NewBudget, 'amount' | 'hard' | 'thresholds'> & BudgetChange {
  return {
    amount: amountOf(draft.amount) ?? 0,
    hard: draft.hard,
    thresholds: percentagesOf(draft.thresholds) ?? [],
  }
}

export function newBudgetOf(draft: BudgetDraft, { scope, id }: BudgetTarget): NewBudget {
  return {
    ...changeOf(draft),
    scope,
    scope_id: id,
    period: draft.period,
    time_zone: draft.timeZone.trim() || 'UTC',
  }
}

/** From the lowest to the highest, each once; null when some text is not a whole percentage. */
function percentagesOf(text: string): readonly number[] | null {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  const numbers = parts.map((part) => (/^\d{1,4}%?$/.test(part) ? Number.parseInt(part, 10) : 0))
  if (numbers.some((percent) => percent < 1 || percent > 1000)) return null
  return [...new Set(numbers)].toSorted((one, other) => one - other)
}
