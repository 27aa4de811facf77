/**
 * Gives models of known vendors their list prices from the vendors' catalogue. A model gets them once, in the
 * background, when it has no price; later only when an administrator asks for it, so that an upgrade changes no price.
 */
import { createHash } from 'node:crypto'
import type { Upstream } from '#catalog/upstream.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Clock } from '#lib/clock.ts'
import { lookUp } from '#pricing/catalogue/look-up.ts'
import type { CatalogueEntry } from '#pricing/catalogue/catalogue-job.ts'
import { upstreamKey, type PriceRecord } from '#pricing/price.ts'
import type { ChangeFeed } from '#replica/change-feed.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Store } from '#store/store.ts'

export interface CataloguePricesDeps {
  readonly store: Pick<Store, 'prices'>
  readonly state: LiveState
  readonly feed: ChangeFeed
  readonly settings: LiveSettings
  readonly clock: Clock
}

/** Work for a loop: looks for models without a price whenever the catalog is another one. */
export function pricingNewModels(deps: CataloguePricesDeps): () => Promise<void> {
  const asked = new Set<string>()
  let seen: unknown = null
  return async () => {
    const { catalog } = deps.state
    if (catalog === seen || !isOn(deps.settings)) return
    const unpriced = plainUpstreams(deps).filter(
      (upstream) => upstream.prices.length === 0 && !asked.has(keyOf(upstream)),
    )
    await priceFromCatalogue(deps, unpriced)
    for (const upstream of unpriced) asked.add(keyOf(upstream))
    seen = catalog
  }
}

/** The catalogue's prices are in dollars. */
export function isOn(settings: LiveSettings): boolean {
  return settings.get('prices.catalogue') && settings.get('prices.currency') === 'USD'
}

/** The upstream of each plain model that is active; of several servers, the first. */
export function plainUpstreams({ state }: Pick<CataloguePricesDeps, 'state'>): readonly Upstream[] {
  return state.catalog.models.flatMap(({ record, upstreams }) =>
    record.target.kind === 'plain' ? upstreams.slice(0, 1) : [],
  )
}

/** Asks the catalogue about these models and stores what it says; returns those that now have a price from it. */
export async function priceFromCatalogue(
  { store, feed, clock }: CataloguePricesDeps,
  upstreams: readonly Upstream[],
): Promise<readonly Upstream[]> {
  const known = upstreams.filter(mayBeKnown)
  const entries = await lookUp(
    known.map(({ provider, upstreamName }) => ({ kind: provider.kind, baseUrl: provider.baseUrl, upstreamName })),
  )
  const priced = known.flatMap((upstream, index) => {
    const entry = entries[index]
    return entry === null || entry === undefined ? [] : [{ upstream, entry }]
  })
  const changed: string[] = []
  for (const { upstream, entry } of priced) {
    const { id } = upstream.model
    if (await store.prices.setCatalogue(id, pricesOf(upstream, entry, clock.now()), clock.now())) changed.push(id)
  }
  if (changed.length > 0) await feed.publish(changed.map((id) => ({ kind: 'model', id })))
  return priced.map(({ upstream }) => upstream)
}

/** A server without TLS or without a domain is not a vendor's, so nothing has to be read to know that. */
function mayBeKnown({ provider }: Upstream): boolean {
  if (provider.kind === 'demo') return false
  return provider.baseUrl === '' || provider.baseUrl.startsWith('https://')
}

/** The same prices have the same ids, whichever process stores them. */
function pricesOf({ model, provider, upstreamName }: Upstream, entry: CatalogueEntry, now: number): PriceRecord[] {
  const upstream = upstreamKey(provider.id, upstreamName)
  return entry.prices.map(({ validFrom, rates, tiers }) => {
    const content = JSON.stringify([model.id, upstream, validFrom, rates, tiers])
    return {
      id: `cat-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`,
      modelId: model.id,
      source: 'catalogue',
      upstream,
      validFrom,
      rates,
      tiers,
      note: entry.name,
      createdAt: now,
      replacedAt: null,
    }
  })
}

function keyOf({ model, provider, upstreamName }: Upstream): string {
  return `${model.id} ${upstreamKey(provider.id, upstreamName)} ${provider.baseUrl}`
}
