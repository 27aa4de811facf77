/**
 * One way to serve a model, and how the record of a plain model becomes one. Done when a snapshot is
 * built, never for a request.
 */
import { efforts } from '#config/declared/routing-forms.ts'
import { freePrices, upstreamKey, type PriceList } from '#pricing/price.ts'
import { presetReasoning } from './reasoning-presets.ts'
import type { ComponentRecord, Effort, ModelRecord, ProviderRecord, ReasoningConfig } from './records.ts'

/** How many requests may be under way at a model or a provider at once. */
export interface ConcurrencyCap {
  readonly kind: 'model' | 'provider'
  readonly id: string
  readonly name: string
  readonly limit: number
}

/** A plain model at its provider. */
export interface Upstream {
  /** The plain model: the component of a composite, or the model itself. */
  readonly model: ModelRecord
  readonly provider: ProviderRecord
  /** The provider's own name for the model. */
  readonly upstreamName: string
  readonly weight: number
  readonly priority: number
  /** Null when it is unknown: efforts go upstream unchanged. */
  readonly reasoning: ReasoningConfig | null
  /** What it costs, those that precede first; empty when no price is known. */
  readonly prices: PriceList
  /** Those that a request to it counts in: of a composite, the model, the provider. Always in this order. */
  readonly caps: readonly ConcurrencyCap[]
}

/** Everything that is configured, by id. */
export interface CatalogSource {
  readonly providers: ReadonlyMap<string, ProviderRecord>
  readonly records: ReadonlyMap<string, ModelRecord>
  /** The prices of each plain model. */
  readonly prices: ReadonlyMap<string, PriceList>
}

/** A missing component, or one that is itself a composite, is left out; the store refuses both. */
export function componentUpstream(
  component: ComponentRecord,
  composite: ModelRecord,
  source: CatalogSource,
): Upstream | null {
  const record = source.records.get(component.modelId)
  const upstream = record === undefined ? null : plainUpstream(record, source, component)
  return upstream && { ...upstream, caps: [...capsOf('model', composite), ...upstream.caps] }
}

/** The cap of a model or a provider, if it has one. */
export function capsOf(kind: ConcurrencyCap['kind'], record: ModelRecord | ProviderRecord): readonly ConcurrencyCap[] {
  const { id, name, maxConcurrent } = record
  return maxConcurrent === null ? [] : [{ kind, id, name, limit: maxConcurrent }]
}

const alone = { weight: 1, priority: 0 } as const

/** The one way of a plain model; null for a composite, and when its provider does not exist. */
export function plainUpstream(
  model: ModelRecord,
  { providers, prices }: CatalogSource,
  { weight, priority }: Pick<ComponentRecord, 'weight' | 'priority'> = alone,
): Upstream | null {
  if (model.target.kind !== 'plain') return null
  const { providerId, upstreamName } = model.target
  const provider = providers.get(providerId)
  if (provider === undefined) return null
  const reasoning = model.reasoning ?? provider.reasoning ?? presetReasoning(provider, upstreamName)
  const key = upstreamKey(providerId, upstreamName)
  const known = (prices.get(model.id) ?? []).filter(({ upstream }) => upstream === null || upstream === key)
  // The practice provider works in this process.
  const own = known.length === 0 && provider.kind === 'demo' ? freePrices : known
  const caps = [...capsOf('model', model), ...capsOf('provider', provider)]
  return { model, provider, upstreamName, weight, priority, reasoning, prices: own, caps }
}

/** What all of them take, from none to max; null when it is unknown for one of them, or there are none. */
export function commonEfforts(configs: readonly (ReasoningConfig | null)[]): readonly Effort[] | null {
  if (configs.length === 0 || configs.includes(null)) return null
  return efforts.filter((effort) => configs.every((config) => config?.efforts.includes(effort)))
}
