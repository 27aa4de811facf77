/** The queries of budgets. What is spent changes by itself, so lists are read again every 30 seconds. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { BudgetTarget } from './budget-draft.ts'

const refetchInterval = 30_000

/** The budgets on one key, user, group, model or provider; for administrators. */
export function budgetsOnQuery({ scope, id }: BudgetTarget) {
  return queryOptions({
    queryKey: [...resource.budgets, scope, id],
    queryFn: ({ signal }) => api('GET /admin/api/v1/budgets', { query: { scope, scope_id: id }, signal }),
    refetchInterval,
  })
}

/** Every budget; for administrators. */
export const allBudgetsQuery = queryOptions({
  queryKey: [...resource.budgets, 'all'],
  queryFn: ({ signal }) => api('GET /admin/api/v1/budgets', { signal }),
  refetchInterval,
})

/** The budgets that have reached a threshold; for administrators. */
export const reachedBudgetsQuery = queryOptions({
  queryKey: [...resource.budgets, 'reached'],
  queryFn: ({ signal }) => api('GET /admin/api/v1/budgets', { query: { reached: 'true' }, signal }),
  refetchInterval,
})

/** The budgets on the user, the user's keys and groups. */
export const ownBudgetsQuery = queryOptions({
  queryKey: [...resource.budgets, 'own'],
  queryFn: async ({ signal }) => {
    const { currency, budgets } = await api('GET /ai/v1/usage/me', { signal })
    return { currency, data: budgets }
  },
  refetchInterval,
})
