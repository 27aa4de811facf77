/** Applies declared providers, models, composites and aliases. */
import type { ModelRecord, ModelTarget, ProviderRecord, TrafficRule, TrafficRules } from '#catalog/records.ts'
import type {
  Declared,
  DeclaredModel,
  DeclaredProvider,
  DeclaredRule,
  DeclaredTarget,
} from '#config/declared/declared.ts'
import { changedFields } from './changed-fields.ts'
import type { ApplyContext } from './apply-context.ts'

/** Makes the stored provider equal to the declared one. */
export async function applyProvider(
  { store, entities, now, note }: ApplyContext,
  declared: DeclaredProvider,
): Promise<void> {
  const { path: _, headers, ...fields } = declared
  const revealed = Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, value.reveal()]))
  const wanted = { ...fields, headers: revealed, declared: true }
  const current = entities.providers.get(declared.name)
  if (current === undefined) {
    const provider: ProviderRecord = { ...wanted, id: crypto.randomUUID(), createdAt: now }
    await store.providers.insert(provider)
    entities.providers.set(provider.name, provider)
    return note('added', 'provider', provider.name)
  }
  const changed = changedFields(current, wanted)
  if (changed === null) return
  await store.providers.update(current.id, changed)
  note(current.declared ? 'changed' : 'taken over', 'provider', current.name)
}

/**
 * Makes the stored models and their names equal to the declared ones. An alias that the file gives
 * to one model is first taken from the model that has it, so that aliases can change places.
 * Composites come after the plain models that they are made of, as they do in the list.
 */
export async function applyModels(context: ApplyContext, declared: Declared): Promise<void> {
  await freeNames(context, declared)
  const ids = modelIds(context, declared)
  for (const model of declared.models) await applyModel(context, model, { ids, aliases: aliasesOf(declared, model) })
  await aliasUndeclared(context, declared)
}

/** Names by the model that the file gives them to. */
function ownersOf(declared: Declared): ReadonlyMap<string, string> {
  return new Map([
    ...declared.models.flatMap((model) => [model.name, ...model.aliases].map((name) => [name, model.name] as const)),
    ...declared.aliases.map(({ alias, model }) => [alias, model] as const),
  ])
}

async function freeNames({ store, entities, note }: ApplyContext, declared: Declared): Promise<void> {
  const owners = ownersOf(declared)
  for (const model of entities.models.values()) {
    const aliases = model.aliases.filter((alias) => (owners.get(alias) ?? model.name) === model.name)
    if (aliases.length === model.aliases.length) continue
    await store.models.update(model.id, { aliases })
    entities.models.set(model.name, { ...model, aliases })
    note('changed', 'aliases of model', model.name)
  }
}

type Ids = ReadonlyMap<string, { readonly id: string }>

/** Ids by name of all models, those that are still to be added included: a redirect may lead to a later one. */
function modelIds({ entities }: ApplyContext, { models }: Declared): Ids {
  const added = models.filter(({ name }) => !entities.models.has(name))
  return new Map<string, { readonly id: string }>([
    ...entities.models,
    ...added.map(({ name }) => [name, { id: crypto.randomUUID() }] as const),
  ])
}

interface ModelContext {
  readonly ids: Ids
  readonly aliases: readonly string[]
}

async function applyModel(
  context: ApplyContext,
  declared: DeclaredModel,
  { ids, aliases }: ModelContext,
): Promise<void> {
  const { store, entities, now, note } = context
  // Prices are another step.
  const { path: _, groups, target, rules, prices: _prices, ...fields } = declared
  const wanted = {
    ...fields,
    aliases: [...new Set(aliases)].sort(),
    target: targetOf(target, entities.providers, ids),
    rules: rulesOf(rules, ids),
    groupIds: [...new Set(groups.map((group) => idIn(entities.groups, group)))].sort(),
    declared: true,
  }
  const current = entities.models.get(declared.name)
  if (current === undefined) {
    const model: ModelRecord = { ...wanted, id: idIn(ids, declared.name), createdAt: now }
    await store.models.insert(model)
    entities.models.set(model.name, model)
    return note('added', 'model', model.name)
  }
  const changed = changedFields(current, wanted)
  if (changed === null) return
  await store.models.update(current.id, changed)
  note(current.declared ? 'changed' : 'taken over', 'model', current.name)
}

/** Models that are only in the database keep their other aliases. */
async function aliasUndeclared({ store, entities, note }: ApplyContext, declared: Declared): Promise<void> {
  const names = new Set(declared.models.map((model) => model.name))
  for (const { alias, model: name } of declared.aliases) {
    const model = names.has(name) ? undefined : entities.models.get(name)
    if (model === undefined || model.aliases.includes(alias)) continue
    const aliases = [...model.aliases, alias].sort()
    await store.models.update(model.id, { aliases })
    entities.models.set(name, { ...model, aliases })
    note('changed', 'aliases of model', name)
  }
}

function aliasesOf(declared: Declared, model: DeclaredModel): readonly string[] {
  return [...model.aliases, ...declared.aliases.filter((entry) => entry.model === model.name).map(({ alias }) => alias)]
}

function targetOf(target: DeclaredTarget, providers: Ids, models: Ids): ModelTarget {
  if (target.kind === 'plain')
    return { kind: 'plain', providerId: idIn(providers, target.provider), upstreamName: target.upstreamName }
  const components = target.components.map(({ model, ...fields }) => ({ modelId: idIn(models, model), ...fields }))
  return { ...target, components }
}

function rulesOf({ realtime, batch }: DeclaredModel['rules'], models: Ids): TrafficRules {
  const ruleOf = (rule: DeclaredRule): TrafficRule =>
    rule.action === 'deny' ? rule : { action: 'redirect', modelId: idIn(models, rule.model) }
  return { ...(realtime && { realtime: ruleOf(realtime) }), ...(batch && { batch: ruleOf(batch) }) }
}

function idIn(entities: ReadonlyMap<string, { readonly id: string }>, name: string): string {
  const found = entities.get(name)
  // References were resolved before anything was written.
  if (found === undefined) throw new Error(`the declared reference "${name}" is not resolved`)
  return found.id
}
