/** Applies declared prices and budgets. */
import { createHash } from 'node:crypto'
import type { BudgetRecord } from '#budgets/budget.ts'
import type { DeclaredBudget, DeclaredModel, DeclaredPrice } from '#config/declared/declared.ts'
import type { PriceRecord } from '#pricing/price.ts'
import { changedFields } from './changed-fields.ts'
import { budgetKey } from './stored-entities.ts'
import type { ApplyContext } from './apply-context.ts'

/** Makes the prices of each model that lists some exactly those of the list; the others are left to administrators. */
export async function applyPrices(
  { store, entities, now, note }: ApplyContext,
  models: readonly DeclaredModel[],
): Promise<void> {
  const kept = new Set<string>()
  for (const { name, prices } of models) {
    const modelId = entities.models.get(name)?.id
    if (prices === null || modelId === undefined) continue
    kept.add(modelId)
    const records = prices.map((price) => priceOf(modelId, price, now))
    if (await store.prices.setDeclared(modelId, records, now)) note('changed', 'prices of model', name)
  }
  for (const modelId of entities.pricedModels.difference(kept)) {
    await store.prices.releaseDeclared(modelId)
    const name = [...entities.models.values()].find(({ id }) => id === modelId)?.name ?? modelId
    note('released', 'prices of model', name)
  }
}

/** The same price has the same id, whichever process applies it, so that usage records keep naming it. */
function priceOf(modelId: string, price: DeclaredPrice, now: number): PriceRecord {
  const { validFrom, rates, tiers, note } = price
  const content = JSON.stringify([modelId, validFrom, rates, tiers, note])
  return {
    id: `dec-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`,
    modelId,
    source: 'declared',
    upstream: null,
    validFrom,
    rates,
    tiers,
    note,
    createdAt: now,
    replacedAt: null,
  }
}

/** Makes the stored budgets equal to the declared ones; those that the file no longer has become editable. */
export async function applyBudgets(
  { store, entities, now, note }: ApplyContext,
  budgets: readonly DeclaredBudget[],
): Promise<void> {
  const kept = new Set<string>()
  for (const declared of budgets) {
    const { path: _, scope, name, period, ...fields } = declared
    const target = { scope, scopeId: scopeIdOf(entities, declared), period }
    const wanted = { ...fields, declared: true }
    const key = budgetKey(target)
    kept.add(key)
    const current = entities.budgets.get(key)
    if (current === undefined) {
      const budget: BudgetRecord = { ...target, ...wanted, id: crypto.randomUUID(), createdAt: now }
      await store.budgets.insert(budget)
      entities.budgets.set(key, budget)
      note('added', 'budget', `${scope} ${name}`)
      continue
    }
    const changed = changedFields(current, wanted)
    if (changed === null) continue
    await store.budgets.update(current.id, changed)
    note(current.declared ? 'changed' : 'taken over', 'budget', `${scope} ${name}`)
  }
  for (const [key, { id, declared, scope, scopeId }] of entities.budgets) {
    if (!declared || kept.has(key)) continue
    await store.budgets.update(id, { declared: false })
    note('released', 'budget', `${scope} ${scopeId}`)
  }
}

function scopeIdOf(entities: ApplyContext['entities'], { scope, name }: DeclaredBudget): string {
  const records = { user: entities.users, group: entities.groups, model: entities.models, provider: entities.providers }
  const id = records[scope].get(name)?.id
  // References were resolved before anything was written.
  if (id === undefined) throw new Error(`the declared reference "${name}" is not resolved`)
  return id
}
