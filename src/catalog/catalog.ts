/**
 * The models of one moment, ready for the request path: an immutable snapshot. A change of a
 * provider, model, alias or override builds a new one and swaps it in; a request keeps the snapshot
 * it began with.
 *
 * `resolve` and `listFor` share `mayUse`, so that a model is listed exactly when it can be called.
 */
import type { Account, Caller } from '#identity/records.ts'
import type { InflightOverride, ModelRecord, ProviderRecord } from './records.ts'

/** A model with what the request path needs already joined to it. */
export interface Model {
  readonly record: ModelRecord
  readonly provider: ProviderRecord
  readonly groupIds: ReadonlySet<string>
}

export type Resolution =
  | { readonly kind: 'found'; readonly model: Model }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'forbidden'; readonly model: Model }

export interface CatalogContents {
  readonly providers: Iterable<ProviderRecord>
  readonly models: Iterable<ModelRecord>
  readonly inflightOverrides: Iterable<InflightOverride>
}

export class Catalog {
  readonly #byName = new Map<string, Model>()
  /** Active models in order of name. */
  readonly #active: readonly Model[]
  readonly #inflightOverrides = new Map<string, number>()

  constructor(contents: CatalogContents) {
    const providers = new Map([...contents.providers].map((provider) => [provider.id, provider]))
    const active: Model[] = []
    for (const record of contents.models) {
      const provider = providers.get(record.providerId)
      if (provider === undefined || !record.active) continue
      const model = { record, provider, groupIds: new Set(record.groupIds) }
      active.push(model)
      for (const name of [record.name, ...record.aliases]) this.#byName.set(name, model)
    }
    this.#active = active.sort((a, b) => (a.record.name < b.record.name ? -1 : 1))
    for (const { userId, modelId, inflightLimit } of contents.inflightOverrides) {
      this.#inflightOverrides.set(`${userId} ${modelId}`, inflightLimit)
    }
  }

  /** The model behind a name or an alias, exact and case-sensitive, and whether the caller may use it. */
  resolve(name: string, caller: Caller): Resolution {
    const model = this.#byName.get(name)
    if (model === undefined) return { kind: 'unknown' }
    return mayUse(caller, model) ? { kind: 'found', model } : { kind: 'forbidden', model }
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
    const override = this.#inflightOverrides.get(`${account.user.id} ${model.record.id}`)
    return override ?? model.record.inflightLimit ?? defaultLimit
  }
}

function mayUse({ account, key }: Caller, model: Model): boolean {
  const scoped = key?.scopes.modelIds ?? null
  if (scoped !== null && !scoped.includes(model.record.id)) return false
  return !model.groupIds.isDisjointFrom(account.groupIds)
}
