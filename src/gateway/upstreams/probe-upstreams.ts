/**
 * Probes ejected upstreams, so that no request of a client has to. The probe asks for the list of
 * models, which costs nothing.
 */
import type { Catalog } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { ProviderRecord } from '#catalog/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { ProviderPool } from '#providers/registry.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** What the probes need of the gateway. */
export interface ProbeDeps {
  readonly settings: LiveSettings
  readonly catalog: () => Catalog
  readonly health: UpstreamHealth
  readonly providers: ProviderPool
  readonly logger: Logger
  readonly shutdown: AbortSignal
}

const patienceMs = 5000

/** Background work. It is called more often than it probes, because the interval is a live setting. */
export function probing(deps: ProbeDeps, clock: Clock): () => Promise<void> {
  let probedAt = clock.elapsed()
  return async () => {
    const intervalMs = deps.settings.get('health.probe_seconds') * 1000
    const now = clock.elapsed()
    if (intervalMs === 0 || now - probedAt < intervalMs) return
    probedAt = now
    await probeUpstreams(deps)
  }
}

/**
 * Ends the ejection of every upstream whose provider offers its model. One that does not answer, or
 * cannot list its models, stays ejected until its time is over. Never rejects.
 */
async function probeUpstreams(deps: ProbeDeps): Promise<void> {
  const ejected = new Map<ProviderRecord, Upstream[]>()
  for (const { upstreams } of deps.catalog().models) {
    for (const upstream of upstreams) {
      if (!deps.health.isEjected(upstream.id)) continue
      ejected.set(upstream.provider, [...(ejected.get(upstream.provider) ?? []), upstream])
    }
  }
  await Promise.all([...ejected].map(([provider, upstreams]) => probe(deps, provider, upstreams)))
}

async function probe(
  { health, providers, logger, shutdown }: ProbeDeps,
  provider: ProviderRecord,
  upstreams: readonly Upstream[],
): Promise<void> {
  try {
    const signal = AbortSignal.any([shutdown, AbortSignal.timeout(patienceMs)])
    const offered = (await providers.get(provider)?.discover(signal)) ?? []
    const names = new Set(offered.map((model) => model.id))
    for (const { upstreamName, id } of upstreams) if (names.has(upstreamName)) health.endEjection(id)
  } catch (error) {
    logger.debug('an ejected provider is not back yet', { provider: provider.name, error })
  }
}
