/**
 * The models of one moment, ready for the request path: an immutable snapshot. A change of a
 * provider, model, alias or override builds a new one and swaps it in; a request keeps the snapshot
 * it began with.
 *
 * `resolve`, `resolveId` and `listFor` share `mayUse`, so that a model is listed exactly when it can
 * be called. Access to a composite is access to the composite: its components are not asked.
 */
import { indexBudgets, type BudgetIndex, type BudgetRecord } from '#budgets/budget.ts'
import { priceLists, type PriceRecord } from '#pricing/price.ts'
import type { Account, Caller } from '#identity/records.ts'
import type {
  CompositeTarget,
  Effort,
  FailoverPolicy,
  InflightOverride,
  ModelRecord,
  ProviderRecord,
  Strategy,
} from './records.ts'
import type { FoundServers } from './servers.ts'
import {
  atServers,
  capsOf,
  commonEfforts,
  componentUpstreams,
  plainUpstream,
  type CatalogSource,
  type ConcurrencyCap,
  type Upstream,
} from './upstream.ts'

/** A model with what the request path needs already joined to it. */
export interface Model {
  readonly record: ModelRecord
  readonly groupIds: ReadonlySet<string>
  /** The provider's name, or `sluice` for a composite. */
  readonly ownedBy: string
  /** Any will do for a plain model with one upstream. */
  readonly strategy: Strategy
  readonly failover: FailoverPolicy
  /** Those that can serve now, in the order of the record; maybe none. */
  readonly upstreams: readonly Upstream[]
  /** Null when it is unknown. For a composite: when it is unknown for one enabled component. */
  readonly supportedEfforts: readonly Effort[] | null
}

export type Resolution =
  | { readonly kind: 'found'; readonly model: Model }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'forbidden'; readonly model: Model }
  /** The model has changed in the store, and memory may hold what was before. */
  | { readonly kind: 'in_doubt' }

export interface CatalogContents {
  readonly providers: Iterable<ProviderRecord>
  readonly models: Iterable<ModelRecord>
  readonly inflightOverrides: Iterable<InflightOverride>
  /** None when left out. */
  readonly prices?: Iterable<PriceRecord>
  /** None when left out. */
  readonly budgets?: Iterable<BudgetRecord>
  /** What name servers have said; nothing when left out. */
  readonly servers?: FoundServers
}

/** What is known to have changed in the store and is not in the contents. */
export interface CatalogDoubts {
  readonly everything: boolean
  readonly modelIds: ReadonlySet<string>
  readonly providerIds: ReadonlySet<string>
}

const noDoubts: CatalogDoubts = { everything: false, modelIds: new Set(), providerIds: new Set() }

export class Catalog {
  readonly #byName = new Map<string, Model>()
  readonly #byId = new Map<string, Model>()
  /** Active models in order of name. */
  readonly #active: readonly Model[]
  readonly #inflightOverrides = new Map<string, number>()
  readonly #caps: ReadonlyMap<string, number>
  readonly #inDoubt = new Set<Model>()
  /** Whether any model is in doubt: a list of all, and a name that is not found, may then be old. */
  readonly inDoubt: boolean
  readonly budgets: BudgetIndex

  constructor(contents: CatalogContents, doubts: CatalogDoubts = noDoubts) {
    this.inDoubt = doubts.everything || doubts.modelIds.size > 0 || doubts.providerIds.size > 0
    const providers = new Map([...contents.providers].map((provider) => [provider.id, provider]))
    const records = new Map([...contents.models].map((record) => [record.id, record]))
    const caps = [
      ...[...records.values()].flatMap((record) => capsOf('model', record)),
      ...[...providers.values()].flatMap((record) => capsOf('provider', record)),
    ]
    this.#caps = new Map(caps.map(({ kind, id, limit }) => [`${kind} ${id}`, limit]))
    const prices = priceLists(contents.prices ?? [])
    const servers = contents.servers ?? new Map()
    this.budgets = indexBudgets(contents.budgets ?? [])
    const active: Model[] = []
    for (const record of records.values()) {
      const routing = record.active ? routingOf(record, { providers, records, prices, servers }) : null
      if (routing === null) continue
      const model = { record, groupIds: new Set(record.groupIds), ...routing }
      active.push(model)
      if (this.inDoubt && isInDoubt(record, records, doubts)) this.#inDoubt.add(model)
      this.#byId.set(record.id, model)
      for (const name of [record.name, ...record.aliases]) this.#byName.set(name, model)
    }
    this.#active = active.sort((a, b) => (a.record.name < b.record.name ? -1 : 1))
    for (const { userId, modelId, inflightLimit } of contents.inflightOverrides) {
      this.#inflightOverrides.set(`${userId} ${modelId}`, inflightLimit)
    }
  }

  /** The model behind a name or an alias, exact and case-sensitive, and whether the caller may use it. */
  resolve(name: string, caller: Caller): Resolution {
    return this.#resolution(this.#byName.get(name), caller)
  }

  /** The active model with this id, and whether the caller may use it. */
  resolveId(id: string, caller: Caller): Resolution {
    return this.#resolution(this.#byId.get(id), caller)
  }

  /** The active models that the caller may use, by name. */
  listFor(caller: Caller): readonly Model[] {
    return this.#active.filter((model) => mayUse(caller, model))
  }

  /** All active models, by name. */
  get models(): readonly Model[] {
    return this.#active
  }

  /** Requests that the account may have in flight on the model: its own limit, the model's, or the default. */
  inflightLimit(account: Account, model: Model, defaultLimit: number): number {
    const overrides = this.#inflightOverrides
    // Most have none, and the key of a look-up is a text to be made.
    const override = overrides.size === 0 ? undefined : overrides.get(`${account.user.id} ${model.record.id}`)
    return override ?? model.record.inflightLimit ?? defaultLimit
  }

  /** Requests that may be under way at once at this model or provider; `Infinity` without a cap. */
  concurrencyLimit({ kind, id }: Pick<ConcurrencyCap, 'kind' | 'id'>): number {
    return this.#caps.get(`${kind} ${id}`) ?? Infinity
  }

  #resolution(model: Model | undefined, caller: Caller): Resolution {
    if (model === undefined ? this.inDoubt : this.#inDoubt.has(model)) return { kind: 'in_doubt' }
    if (model === undefined) return { kind: 'unknown' }
    return mayUse(caller, model) ? { kind: 'found', model } : { kind: 'forbidden', model }
  }
}

/** Whether a doubt concerns the model, its provider, or one of its components. */
function isInDoubt(record: ModelRecord, records: ReadonlyMap<string, ModelRecord>, doubts: CatalogDoubts): boolean {
  if (doubts.everything || doubts.modelIds.has(record.id)) return true
  if (record.target.kind === 'plain') return doubts.providerIds.has(record.target.providerId)
  return record.target.components.some(({ modelId }) => {
    const component = records.get(modelId)
    return component !== undefined && isInDoubt(component, records, doubts)
  })
}

function mayUse({ account, key }: Caller, model: Model): boolean {
  const scoped = key?.scopes.modelIds ?? null
  if (scoped !== null && !scoped.includes(model.record.id)) return false
  return !model.groupIds.isDisjointFrom(account.groupIds)
}

/** The part of a `Model` that depends on other records. */
type Routing = Omit<Model, 'record' | 'groupIds'>

/** Where the requests of an active model can go; null when its provider does not exist. */
function routingOf(record: ModelRecord, source: CatalogSource): Routing | null {
  return record.target.kind === 'composite'
    ? compositeRouting(record, record.target, source)
    : plainRouting(record, source)
}

function plainRouting(record: ModelRecord, source: CatalogSource): Routing | null {
  const upstream = plainUpstream(record, source)
  if (upstream === null) return null
  return {
    ownedBy: upstream.provider.name,
    strategy: upstream.provider.servers?.strategy ?? 'priority',
    failover: {},
    upstreams: upstream.provider.enabled ? atServers(upstream, source) : [],
    supportedEfforts: upstream.reasoning?.efforts ?? null,
  }
}

function compositeRouting(
  composite: ModelRecord,
  { strategy, failover, components }: CompositeTarget,
  source: CatalogSource,
): Routing {
  const enabled = components
    .filter((component) => component.enabled)
    .flatMap((component) => componentUpstreams(component, composite, source))
  return {
    ownedBy: 'sluice',
    strategy,
    failover,
    upstreams: enabled.filter(({ model, provider }) => model.active && provider.enabled),
    supportedEfforts: commonEfforts(enabled.map(({ reasoning }) => reasoning)),
  }
}
