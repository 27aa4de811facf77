/** Budgets as text. */
import type { Budget, OwnBudget } from '../../api/schema.d.ts'
import { exactMoneyText } from '../../components/money.ts'

/** What administrators and users see of a budget. */
export type ShownBudget = Pick<
  Budget | OwnBudget,
  'scope' | 'name' | 'period' | 'hard' | 'amount' | 'spent' | 'held' | 'left' | 'reached' | 'renews_at'
>

export const periodNames = { day: 'each day', week: 'each week', month: 'each month', total: 'in all' } as const
const nouns = { key: 'API key', user: 'user', group: 'group', model: 'model', provider: 'provider' } as const

/** "User ada@example.org". */
export function targetText({ scope, name }: Pick<ShownBudget, 'scope' | 'name'>): string {
  const noun = nouns[scope]
  return name === null ? `Deleted ${noun}` : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${name}`
}

/** "$50.00 each month". */
export function amountEachText({ amount, period }: Pick<ShownBudget, 'amount' | 'period'>, currency: string): string {
  return `${exactMoneyText(amount, currency)} ${periodNames[period]}`
}

const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' })

/** "83%" of the amount; never rounded up to a threshold that was not reached. */
export function spentShareText({ spent, amount }: Pick<ShownBudget, 'spent' | 'amount'>): string {
  return shares.format(amount === 0 ? 1 : spent / amount)
}

const days = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** "renews Dec 1, 00:00" in the reader's time zone. */
export function renewalText({ renews_at: at }: Pick<ShownBudget, 'renews_at'>): string {
  return at === null ? 'never renews' : `renews ${days.format(new Date(at))}`
}
