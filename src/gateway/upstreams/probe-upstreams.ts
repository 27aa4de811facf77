/**
 * Asks ejected upstreams whether they are back, so that no request of a client has to find out late.
 * The question is the list of models, which costs nothing and works before the first token.
 */
import type { Upstream } from '#catalog/upstream.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { Gateway } from '../gateway.ts'

type Prober = Pick<Gateway, 'catalog' | 'health' | 'providers' | 'logger' | 'shutdown'>

const patienceMs = 5000

/** Background work that is called more often than it has to do something: the interval is a live setting. */
export function probing(gateway: Prober & Pick<Gateway, 'settings'>, clock: Clock): () => Promise<void> {
  let probedAt = clock.elapsed()
  return async () => {
    const intervalMs = gateway.settings.get('health.probe_seconds') * 1000
    const now = clock.elapsed()
    if (intervalMs === 0 || now - probedAt < intervalMs) return
    probedAt = now
    await probeUpstreams(gateway)
  }
}

/**
 * Ends the ejection of every upstream whose provider offers its model. One that does not answer, or
 * cannot list its models, stays out until its time is over. Rejects never.
 */
async function probeUpstreams(gateway: Prober): Promise<void> {
  const ejected = new Map<ProviderRecord, Upstream[]>()
  for (const { upstreams } of gateway.catalog().models) {
    for (const upstream of upstreams) {
      if (!gateway.health.isEjected(upstream.model.id)) continue
      ejected.set(upstream.provider, [...(ejected.get(upstream.provider) ?? []), upstream])
    }
  }
  await Promise.all([...ejected].map(([provider, upstreams]) => probe(gateway, provider, upstreams)))
}

async function probe(
  { health, providers, logger, shutdown }: Prober,
  provider: ProviderRecord,
  upstreams: readonly Upstream[],
): Promise<void> {
  try {
    const signal = AbortSignal.any([shutdown, AbortSignal.timeout(patienceMs)])
    const offered = (await providers.get(provider)?.discover(signal)) ?? []
    const names = new Set(offered.map((model) => model.id))
    for (const { upstreamName, model } of upstreams) if (names.has(upstreamName)) health.endEjection(model.id)
  } catch (error) {
    logger.debug('a provider that was left out is not back yet', { provider: provider.name, error })
  }
}
