/** A budget on the wire: amounts are whole numbers of 10^-9 of the currency. */
import { z } from '#lib/schema.ts'
import { budgetPeriods, budgetScopes, counterOf, reachedThreshold, type BudgetRecord } from '#budgets/budget.ts'
import { windowAt } from '#budgets/window.ts'
import { instant, instantOf } from '#http/page.ts'
import { isTimeZone } from '#lib/time-zone.ts'
import type { CounterState } from '#store/money/budgets.ts'
import { id, instantOrNull } from '../fields.ts'
import { nano } from '../prices/price-record.ts'
import { etag, versionOf } from '../record-version.ts'

const thresholds = z
  .array(z.int().min(1).max(1000))
  .max(10)
  .refine((list) => list.every((percent, index) => index === 0 || percent > (list[index - 1] ?? 0)), {
    message: 'expected percentages from the lowest to the highest',
  })
const timeZone = z.string().max(100).refine(isTimeZone, 'expected a time zone such as Europe/Berlin')

const fields = {
  amount: nano,
  hard: z.boolean().describe('Requests that could exceed it are refused with 402; otherwise it counts and notifies'),
  thresholds: thresholds.describe('Percentages of the amount at which people are told'),
}

export const newBudget = z
  .strictObject({
    scope: z.enum(budgetScopes),
    scope_id: id.describe('The id of the key, user, group, model or provider'),
    period: z.enum(budgetPeriods).describe('Calendar days, weeks from Monday, months, or all time'),
    time_zone: timeZone.default('UTC').describe('Where days begin'),
    ...fields,
    hard: fields.hard.default(true),
    thresholds: fields.thresholds.default([80, 100]),
  })
  .meta({ id: 'NewBudget' })

export const budgetChange = z.strictObject(fields).partial().meta({ id: 'BudgetChange' })

export const budgetAnswer = z
  .strictObject({
    id: z.string(),
    scope: z.enum(budgetScopes),
    scope_id: z.string(),
    name: z.string().nullable().describe('Of what it is on; the e-mail address of a user. Null when that is deleted'),
    period: z.enum(budgetPeriods),
    time_zone: z.string(),
    ...fields,
    declared: z.boolean().describe('Read-only here, because the configuration file has it'),
    created_at: instant,
    starts_at: instant.describe('Beginning of the window of now'),
    renews_at: instant.nullable().describe('End of the window of now; null for a budget in all'),
    spent: z.int().describe('In the window of now, by requests since the budget was made'),
    held: z.int().describe('Taken ahead by processes for requests that run or are to come'),
    unreconciled: z
      .int()
      .describe(
        'Part of `held`: of processes that are gone, whose last requests may have cost it. It counts as spent.',
      ),
    left: z.int(),
    reached: z.int().nullable().describe('The highest threshold that was reached, in percent; null below all of them'),
    etag,
  })
  .meta({ id: 'Budget' })

/** The name of the counter of now. */
export function currentCounter(budget: BudgetRecord, now: number): string {
  return counterOf(budget, windowAt(budget.period, budget.timeZone, now))
}

/** What an answer says beside the budget. */
export interface BudgetFigures {
  /** The name of what it is on; null when that is deleted. */
  readonly name: string | null
  /** Undefined before anything was spent. */
  readonly counter: CounterState | undefined
  readonly now: number
}

export function budgetOnWire(
  budget: BudgetRecord,
  { name, counter, now }: BudgetFigures,
): z.input<typeof budgetAnswer> {
  const { startsAt, endsAt } = windowAt(budget.period, budget.timeZone, now)
  const { spent = 0, held = 0, unreconciled = 0 } = counter ?? {}
  return {
    id: budget.id,
    scope: budget.scope,
    scope_id: budget.scopeId,
    name,
    period: budget.period,
    time_zone: budget.timeZone,
    amount: budget.amount,
    hard: budget.hard,
    thresholds: [...budget.thresholds],
    declared: budget.declared,
    created_at: instantOf(budget.createdAt),
    starts_at: instantOf(startsAt),
    renews_at: instantOrNull(endsAt),
    spent,
    held,
    unreconciled,
    left: Math.max(0, budget.amount - spent - unreconciled),
    reached: reachedThreshold(budget, spent),
    etag: budgetVersion(budget),
  }
}

/** What is spent does not count. */
export function budgetVersion({ amount, hard, thresholds: told }: BudgetRecord): string {
  return versionOf({ amount, hard, thresholds: told })
}
