/**
 * One way to serve a model, and how the record of a plain model becomes one. Done when a snapshot is
 * built, never for a request.
 */
import { efforts } from '#config/declared/routing-forms.ts'
import { freePrices, upstreamKey, type PriceList } from '#pricing/price.ts'
import { presetReasoning } from './reasoning-presets.ts'
import type { ComponentRecord, Effort, ModelRecord, ProviderRecord, ReasoningConfig, ServerAddress } from './records.ts'
import { serversOf, shownAddress, type FoundServers } from './servers.ts'

/** How many requests may be under way at a model or a provider at once. */
export interface ConcurrencyCap {
  readonly kind: 'model' | 'provider'
  readonly id: string
  readonly name: string
  readonly limit: number
}

/** A plain model at its provider, or at one server of it. */
export interface Upstream {
  /** That of the model, with the address of the server where the provider may have several. */
  readonly id: string
  /** The plain model: the component of a composite, or the model itself. */
  readonly model: ModelRecord
  readonly provider: ProviderRecord
  /** The provider's own name for the model. */
  readonly upstreamName: string
  /** That of the component, in equal parts for its servers. */
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
  readonly servers: FoundServers
}

/** A missing component, or one that is itself a composite, has none; the store refuses both. */
export function componentUpstreams(
  component: ComponentRecord,
  composite: ModelRecord,
  source: CatalogSource,
): readonly Upstream[] {
  const record = source.records.get(component.modelId)
  const upstream = record === undefined ? null : plainUpstream(record, source, component)
  if (upstream === null) return []
  return atServers({ ...upstream, caps: [...capsOf('model', composite), ...upstream.caps] }, source)
}

/** The upstream at each server of its provider. */
export function atServers(upstream: Upstream, { servers }: Pick<CatalogSource, 'servers'>): readonly Upstream[] {
  const providers = serversOf(upstream.provider, servers)
  return providers.map((provider) => {
    if (provider.server === undefined) return upstream
    const id = upstreamId(upstream.model.id, provider.server)
    return { ...upstream, id, provider, weight: upstream.weight / providers.length }
  })
}

/** The id of a model's upstream at one server. */
export function upstreamId(modelId: string, server: ServerAddress): string {
  return `${modelId} ${shownAddress(server)}`
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
  { providers, prices }: Omit<CatalogSource, 'servers'>,
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
  return { id: model.id, model, provider, upstreamName, weight, priority, reasoning, prices: own, caps }
}

/** What all of them take, from none to max; null when it is unknown for one of them, or there are none. */
export function commonEfforts(configs: readonly (ReasoningConfig | null)[]): readonly Effort[] | null {
  if (configs.length === 0 || configs.includes(null)) return null
  return efforts.filter((effort) => configs.every((config) => config?.efforts.includes(effort)))
}
