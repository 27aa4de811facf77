/** GET /ai/v1/usage/me: what a caller has used and may still spend, so that an application can ask. */
import { z } from '#lib/schema.ts'
import { budgetPeriods, counterOf, reachedThreshold, scopeKey, type BudgetRecord } from '#budgets/budget.ts'
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
import { scopeNames } from './scope-names.ts'

const ownBudget = z
  .strictObject({
    scope: z.enum(['key', 'user', 'group']),
    name: z.string().nullable().describe('Of the key or group; the e-mail address of the user'),
    period: z.enum(budgetPeriods),
    hard: z.boolean(),
    amount: z.int(),
    spent: z.int(),
    held: z.int().describe('Taken ahead by processes for requests that run or are to come'),
    left: z.int(),
    reached: z.int().nullable().describe('The highest threshold that was reached, in percent; null below all of them'),
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
    budgets: z
      .array(ownBudget)
      .describe('Those on the key, its user and the groups of the user; with a session, on all keys of the user'),
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

async function ownBudgets(admin: Admin, caller: Caller): Promise<z.input<typeof ownBudget>[]> {
  const { store, state, clock } = admin
  const index = state.catalog.budgets
  const of = <Scope extends OwnScope>(scope: Scope, id: string) =>
    (index.get(scopeKey(scope, id)) ?? []).map((budget) => ({ scope, budget }))
  const own: { readonly scope: OwnScope; readonly budget: BudgetRecord }[] = [
    ...(await keyIds(admin, caller)).flatMap((id) => of('key', id)),
    ...of('user', caller.account.user.id),
    ...[...caller.account.groupIds].flatMap((id) => of('group', id)),
  ]
  const placed = own.map(({ scope, budget }) => {
    const window = windowAt(budget.period, budget.timeZone, clock.now())
    return { scope, budget, window, counter: counterOf(budget, window) }
  })
  const [counters, nameOf] = await Promise.all([
    store.budgets.counters(placed.map(({ counter }) => counter)),
    scopeNames(
      store,
      own.map(({ budget }) => budget),
    ),
  ])
  return placed.map(({ scope, budget, window, counter }) => {
    const { spent = 0, held = 0, unreconciled = 0 } = counters.find(({ id }) => id === counter) ?? {}
    const { period, hard, amount } = budget
    return {
      scope,
      name: nameOf(budget),
      period,
      hard,
      amount,
      spent,
      held,
      left: Math.max(0, amount - spent - unreconciled),
      reached: reachedThreshold(budget, spent),
      renews_at: instantOrNull(window.endsAt),
    }
  })
}

type OwnScope = 'key' | 'user' | 'group'

/** The key of the request; with a session all keys of the user that have a budget. */
async function keyIds({ store, state }: Admin, { account, key }: Caller): Promise<readonly string[]> {
  if (key !== null) return [key.id]
  const budgets = [...state.catalog.budgets.values()].flat().filter(({ scope }) => scope === 'key')
  const keys = await store.keys.some(budgets.map(({ scopeId }) => scopeId))
  return keys.filter(({ userId }) => userId === account.user.id).map(({ id }) => id)
}
