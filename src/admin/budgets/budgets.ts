/** Routes of budgets: what they are, what is spent, and the proof that the counters are right. */
import { z } from '#lib/schema.ts'
import { budgetScopes, type BudgetRecord, type BudgetScope } from '#budgets/budget.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { id as entityId, requireEditable, requireFound } from '../fields.ts'
import { budgetAnswer, budgetChange, budgetOnWire, budgetVersion, currentCounter, newBudget } from './budget-record.ts'
import { scopeNames } from './scope-names.ts'

const tag = 'Budgets'
const dayMs = 86_400_000

const listQuery = z.strictObject({
  scope: z.enum(budgetScopes).optional(),
  scope_id: entityId.optional().describe('The id of the key, user, group, model or provider'),
  reached: z.enum(['true', 'false']).optional().describe('`true`: only those that have reached a threshold'),
})

const proof = z
  .strictObject({
    counter: z.string(),
    spent: z.int().describe('As the counter says'),
    recomputed: z.int().describe('As the usage records say'),
    difference: z.int(),
  })
  .meta({ id: 'BudgetProof' })

export function budgetRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin), ...proofRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed, clock } = admin
  return [
    route({
      method: 'GET',
      path: '/budgets',
      access: 'admin',
      summary: 'List budgets with what is spent in the window of now',
      query: listQuery,
      answer: z.strictObject({ currency: z.string(), data: z.array(budgetAnswer) }),
      async handle({ query: { scope, scope_id: scopeId, reached } }) {
        const budgets = (await store.budgets.all()).filter(
          (budget) => budget.scope === (scope ?? budget.scope) && budget.scopeId === (scopeId ?? budget.scopeId),
        )
        const data = await onWire(admin, budgets)
        return {
          currency: admin.settings.get('prices.currency'),
          data: reached === undefined ? data : data.filter((each) => (each.reached !== null) === (reached === 'true')),
        }
      },
    }),
    route({
      method: 'POST',
      path: '/budgets',
      access: 'admin',
      summary: 'Create a budget on a key, user, group, model or provider',
      description: 'It counts requests that arrive from now on.',
      body: newBudget,
      answer: budgetAnswer,
      status: 201,
      errors: ['conflict', 'not_found'],
      async handle({ body }) {
        await requireScope(admin, body.scope, body.scope_id)
        const { scope_id: scopeId, time_zone: timeZone, ...fields } = body
        const budget: BudgetRecord = {
          ...fields,
          id: crypto.randomUUID(),
          scopeId,
          timeZone,
          declared: false,
          createdAt: clock.now(),
        }
        await store.budgets.insert(budget)
        await feed.publish([{ kind: 'catalog' }])
        return onlyOne(admin, budget)
      },
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, feed } = admin
  const current = async ({ params }: { readonly params: { readonly id: string } }) =>
    onlyOne(admin, requireFound(await store.budgets.get(params.id), 'budget'))
  return [
    route({
      method: 'GET',
      path: '/budgets/:id',
      access: 'admin',
      summary: 'One budget',
      answer: budgetAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/budgets/:id',
      access: 'admin',
      summary: 'Change a budget; what is spent stays',
      body: budgetChange,
      answer: budgetAnswer,
      errors: ['declared_read_only'],
      current,
      async handle({ params, body, unchanged }) {
        requireEditable(requireFound(await store.budgets.get(params.id), 'budget'))
        const changed = await store.budgets.update(params.id, present(body), unchanged(budgetVersion))
        await feed.publish([{ kind: 'catalog' }])
        return onlyOne(admin, requireFound(changed, 'budget'))
      },
    }),
    route({
      method: 'DELETE',
      path: '/budgets/:id',
      access: 'admin',
      summary: 'Delete a budget; usage records stay',
      errors: ['declared_read_only'],
      current,
      async handle({ params, unchanged }) {
        requireEditable(requireFound(await store.budgets.get(params.id), 'budget'))
        requireFound((await store.budgets.delete(params.id, unchanged(budgetVersion))) ? params.id : null, 'budget')
        await feed.publish([{ kind: 'catalog' }])
      },
    }),
    route({
      method: 'POST',
      path: '/budgets/:id/reconcile',
      access: 'admin',
      summary: 'Make free what processes held that are gone',
      description:
        'What the last requests of a killed process cost is in no record: it counts as spent until this is called. Look at the bill of the provider first.',
      answer: z.strictObject({ released: z.int() }),
      async handle({ params }) {
        const budget = requireFound(await store.budgets.get(params.id), 'budget')
        return { released: await store.budgets.release(budget.id) }
      },
    }),
  ]
}

function proofRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, tag)
  const { store, settings, clock } = admin
  return [
    route({
      method: 'GET',
      path: '/budgets-proof',
      access: 'admin',
      summary: 'Recompute all counters from the usage records',
      description: 'Days whose records were purged come from their sums.',
      report: true,
      answer: z.strictObject({
        counters: z.int().describe('How many were compared: one for each budget and window'),
        difference: z.int().describe('Sum of all differences: 0 unless something is wrong'),
        data: z.array(proof).describe('Those that differ, the first thousand'),
      }),
      async handle() {
        const days = settings.get('usage.retention_days')
        // The day of the purge is partly gone, and the next may go while this runs.
        const retainedFrom = days === 0 ? 0 : (Math.floor(clock.now() / dayMs) - days + 2) * dayMs
        const { counters, difference, wrong } = await store.usage.proveCounters(retainedFrom)
        const data = wrong.map(({ id: counter, spent, recomputed }) => ({
          counter,
          spent,
          recomputed,
          difference: spent - recomputed,
        }))
        return { counters, difference, data }
      },
    }),
  ]
}

/** With their counters of now and the names of what they are on. */
async function onWire(
  { store, clock }: Admin,
  budgets: readonly BudgetRecord[],
): Promise<z.input<typeof budgetAnswer>[]> {
  const now = clock.now()
  const named = budgets.map((budget) => ({ budget, counter: currentCounter(budget, now) }))
  const [states, nameOf] = await Promise.all([
    store.budgets.counters(named.map(({ counter }) => counter)),
    scopeNames(store, budgets),
  ])
  const counters = new Map(states.map((state) => [state.id, state]))
  return named.map(({ budget, counter }) =>
    budgetOnWire(budget, { name: nameOf(budget), counter: counters.get(counter), now }),
  )
}

async function onlyOne(admin: Admin, budget: BudgetRecord): Promise<z.input<typeof budgetAnswer>> {
  const [answer] = await onWire(admin, [budget])
  return requireFound(answer, 'budget')
}

function present(body: z.output<typeof budgetChange>) {
  const { amount, hard, thresholds } = body
  return {
    ...(amount !== undefined && { amount }),
    ...(hard !== undefined && { hard }),
    ...(thresholds !== undefined && { thresholds }),
  }
}

async function requireScope({ store }: Admin, scope: BudgetScope, id: string): Promise<void> {
  const found = {
    key: async () => (await store.keys.some([id])).length > 0,
    user: async () => (await store.users.get(id)) !== null,
    group: async () => (await store.groups.get(id)) !== null,
    model: async () => (await store.models.get(id)) !== null,
    provider: async () => (await store.providers.get(id)) !== null,
  }
  requireFound((await found[scope]()) ? id : null, scope)
}
