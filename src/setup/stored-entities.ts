/**
 * What the store holds when declared entities are applied to it, and whether they fit: every name
 * that the file refers to exists, and no declared name is refused by what is there.
 */
import type { BudgetRecord } from '#budgets/budget.ts'
import type { ModelRecord, ProviderRecord } from '#catalog/records.ts'
import { unresolvedReferences, type Declared, type DeclaredReference } from '#config/declared/declared.ts'
import { nearestRemedy } from '#config/nearest.ts'
import { everyoneGroupId, type Group, type User } from '#identity/records.ts'
import type { Store } from '#store/store.ts'

/** Records by what the file calls them. */
export interface StoredEntities {
  readonly providers: Map<string, ProviderRecord>
  readonly models: Map<string, ModelRecord>
  readonly groups: Map<string, Group>
  readonly users: Map<string, User>
  /** The keys are those of `budgetKey`. */
  readonly budgets: Map<string, BudgetRecord>
  /** Ids of the models that have prices from the file. */
  readonly pricedModels: Set<string>
}

export const everyone = 'everyone'

/** Reads everything that can be declared. */
export async function readStoredEntities(store: Store): Promise<StoredEntities> {
  const [providers, models, groups, users, budgets, prices] = await Promise.all([
    store.providers.all(),
    store.models.all(),
    store.groups.all(),
    store.users.all(),
    store.budgets.all(),
    store.prices.current(),
  ])
  return {
    providers: new Map(providers.map((provider) => [provider.name, provider])),
    models: new Map(models.map((model) => [model.name, model])),
    // The built-in group is called so in the file whatever an administrator calls it.
    groups: new Map(groups.map((group) => [group.id === everyoneGroupId ? everyone : group.name, group])),
    users: new Map(users.map((user) => [user.email, user])),
    budgets: new Map(budgets.map((budget) => [budgetKey(budget), budget])),
    pricedModels: new Set(prices.filter(({ source }) => source === 'declared').map(({ modelId }) => modelId)),
  }
}

/** There is one budget on the same thing for each period. */
export function budgetKey({ scope, scopeId, period }: Pick<BudgetRecord, 'scope' | 'scopeId' | 'period'>): string {
  return `${scope} ${scopeId} ${period}`
}

/** Every reason why the entities cannot be applied, one sentence each. */
export function declaredProblems(
  declared: Declared,
  entities: StoredEntities,
  kinds: readonly string[],
): readonly string[] {
  return [
    ...declared.providers
      .filter((provider) => !kinds.includes(provider.kind))
      .map(({ path, kind }) => `${path}.kind: there is no kind "${kind}". ${nearestRemedy(kind, kinds)}`),
    ...unresolvedReferences(declared).flatMap((reference) => referenceProblem(reference, declared, entities)),
    ...compositeProblems(declared, entities),
    ...aliasProblems(declared, entities),
  ]
}

function referenceProblem(
  { path, kind, name }: DeclaredReference,
  declared: Declared,
  entities: StoredEntities,
): string[] {
  const stored = { provider: entities.providers, group: entities.groups, user: entities.users, model: entities.models }[
    kind
  ]
  if (stored.has(name)) return []
  const names = {
    provider: declared.providers.map((provider) => provider.name),
    group: declared.groups.map((group) => group.name),
    user: declared.users.map((user) => user.email),
    model: declared.models.map((model) => model.name),
  }[kind]
  const problem = `${path}: there is no ${kind} "${name}", neither in the file nor in the database.`
  return [`${problem} ${nearestRemedy(name, [...names, ...stored.keys()])}`]
}

/** A composite of the file beside what is only in the database: neither may stand in the other. */
function compositeProblems(declared: Declared, entities: StoredEntities): string[] {
  const inFile = new Map(declared.models.map((model) => [model.name, model]))
  const stored = [...entities.models.values()].filter(({ name }) => !inFile.has(name))
  const composites = new Map(
    stored.filter(({ target }) => target.kind === 'composite').map((model) => [model.name, model]),
  )
  return declared.models.flatMap(({ path, name, target }) => {
    if (target.kind === 'plain') return []
    const nested = target.components
      .map(({ model }, index) => ({ model, at: `${path}.components[${index}].model` }))
      .filter(({ model }) => composites.has(model))
      .map(({ model, at }) => `${at}: "${model}" is a composite in the database. Name a plain model.`)
    const id = entities.models.get(name)?.id
    const parents = [...composites.values()]
      .filter(
        (parent) =>
          parent.target.kind === 'composite' && parent.target.components.some(({ modelId }) => modelId === id),
      )
      .map(
        (parent) => `${path}.name: "${name}" is a component of "${parent.name}" in the database. Choose another name.`,
      )
    return [...nested, ...parents]
  })
}

/** An alias in the file takes the name from an alias elsewhere, but not from a model that is called so. */
function aliasProblems(declared: Declared, entities: StoredEntities): string[] {
  const aliases = [
    ...declared.models.flatMap((model) => model.aliases.map((alias) => ({ alias, path: `${model.path}.aliases` }))),
    ...declared.aliases,
  ]
  return aliases
    .filter(({ alias }) => entities.models.has(alias))
    .map(
      ({ alias, path }) => `${path}: "${alias}" is the name of a model in the database. Rename or delete that model.`,
    )
}
