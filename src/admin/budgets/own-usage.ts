/** GET /ai/v1/usage/me: what a caller has used and may still spend, so that an application can ask. */
import { z } from 'zod'
import { counterOf, scopeKey, type BudgetRecord } from '#budgets/budget.ts'
import { windowAt } from '#budgets/window.ts'
import { instant, instantOf } from '#http/page.ts'
import { json } from '#http/respond.ts'
import { validQuery } from '#http/validate.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { noStore } from '../endpoint.ts'
import { instantOrNull } from '../fields.ts'
import { mapStoreErrors } from '../map-store-errors.ts'

const ownBudget = z
  .strictObject({
    scope: z.enum(['key', 'user', 'group']),
    period: z.string(),
    hard: z.boolean(),
    amount: z.int(),
    spent: z.int(),
    left: z.int(),
    renews_at: instant.nullable(),
  })
  .meta({ id: 'OwnBudget' })

const answer = z
  .strictObject({
    currency: z.string(),
    from: instant.describe('Beginning of the month, UTC'),
    requests: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost: z.int().describe('In 10^-9 of the currency, of requests whose price is known; the whole account, all keys'),
    budgets: z.array(ownBudget).describe('Those on the key, its user and the groups of the user'),
  })
  .meta({ id: 'OwnUsage' })

const noQuery = z.strictObject({})

export function ownUsageRoute(admin: Admin): Route<Caller> {
  return {
    method: 'GET',
    path: '/ai/v1/usage/me',
    access: 'inference',
    docs: {
      tag: 'Inference',
      summary: 'What the caller has used this month, and what is left of its budgets',
      answer,
      errors: ['invalid_query_parameter', 'store_unavailable', 'too_many_reports'],
    },
    handle: (context, caller) =>
      mapStoreErrors(() =>
        admin.reports.run(caller.account.user.id, async () => {
          validQuery(noQuery, context.query)
          return json(await ownUsage(admin, caller), 200, noStore)
        }),
      ),
  }
}

async function ownUsage(admin: Admin, caller: Caller): Promise<z.input<typeof answer>> {
  const { store, settings, clock } = admin
  const now = clock.now()
  const { startsAt: from } = windowAt('month', 'UTC', now)
  const totals = await store.usage.totals({ from, to: now + 1, userId: caller.account.user.id })
  return {
    currency: settings.get('prices.currency'),
    from: instantOf(from),
    requests: totals.requests,
    prompt_tokens: totals.promptTokens,
    completion_tokens: totals.completionTokens,
    cost: totals.cost,
    budgets: await ownBudgets(admin, caller),
  }
}

async function ownBudgets(
  { store, state, clock }: Admin,
  { account, key }: Caller,
): Promise<z.input<typeof ownBudget>[]> {
  const index = state.catalog.budgets
  const of = <Scope extends 'key' | 'user' | 'group'>(scope: Scope, id: string) =>
    (index.get(scopeKey(scope, id)) ?? []).map((budget) => ({ scope, budget }))
  const own: { readonly scope: 'key' | 'user' | 'group'; readonly budget: BudgetRecord }[] = [
    ...(key === null ? [] : of('key', key.id)),
    ...of('user', account.user.id),
    ...[...account.groupIds].flatMap((id) => of('group', id)),
  ]
  const named = own.map(({ scope, budget }) => {
    const window = windowAt(budget.period, budget.timeZone, clock.now())
    return { scope, budget, window, counter: counterOf(budget, window) }
  })
  const counters = await store.budgets.counters(named.map(({ counter }) => counter))
  return named.map(({ scope, budget, window, counter }) => {
    const { spent = 0, unreconciled = 0 } = counters.find(({ id }) => id === counter) ?? {}
    const { period, hard, amount } = budget
    const left = Math.max(0, amount - spent - unreconciled)
    return { scope, period, hard, amount, spent, left, renews_at: instantOrNull(window.endsAt) }
  })
}
