/** The names of what budgets are on. */
import type { BudgetRecord, BudgetScope } from '#budgets/budget.ts'
import type { Store } from '#store/store.ts'

type NameStore = Pick<Store, 'keys' | 'users' | 'groups' | 'models' | 'providers'>

/** The name of what a budget is on, the e-mail address of a user; null when that is deleted. */
export type ScopeNames = (budget: BudgetRecord) => string | null

/** Reads the names that these budgets need, and no others. */
export async function scopeNames(store: NameStore, budgets: readonly BudgetRecord[]): Promise<ScopeNames> {
  const ids = Map.groupBy(budgets, ({ scope }) => scope)
  const named = await Promise.all(
    [...ids].map(async ([scope, list]) => {
      const unique = [...new Set(list.map(({ scopeId }) => scopeId))]
      return [scope, new Map(await readers[scope](store, unique))] as const
    }),
  )
  const names = new Map(named)
  return ({ scope, scopeId }) => names.get(scope)?.get(scopeId) ?? null
}

type NamedId = readonly [id: string, name: string]
type ReadNames = (store: NameStore, ids: readonly string[]) => Promise<readonly NamedId[]>

const readers: Readonly<Record<BudgetScope, ReadNames>> = {
  key: async ({ keys }, ids) => (await keys.some(ids)).map(nameOf),
  user: async ({ users }, ids) => (await users.some(ids)).map(({ user }) => [user.id, user.email]),
  group: async ({ groups }) => (await groups.all()).map(nameOf),
  model: async ({ models }) => (await models.all()).map(nameOf),
  provider: async ({ providers }) => (await providers.all()).map(nameOf),
}

function nameOf({ id, name }: { readonly id: string; readonly name: string }): NamedId {
  return [id, name]
}
