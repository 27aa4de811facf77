/**
 * Reads in the background how busy model servers are, from their own metrics: what other gateways and other clients send
 * them counts, too. Only some servers are asked: those of a provider with several, the components of a model with the
 * strategy `affinity`, and those on which batches run.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Clock } from '#lib/clock.ts'
import type { ProbeDeps } from './probe-upstreams.ts'

const patienceMs = 2000
/** Time until one without such metrics is asked again. */
const silentMs = 300_000

type LoadDeps = Pick<ProbeDeps, 'settings' | 'catalog' | 'health' | 'providers' | 'shutdown'>

/** Background work, once a second. It does not wait for slow servers. */
export function readingLoads(deps: LoadDeps, clock: Clock): () => Promise<void> {
  const nextAt = new WeakMap<ProviderRecord, number>()
  const asking = new WeakSet<ProviderRecord>()
  const ask = async (server: ProviderRecord, ids: readonly string[], intervalMs: number): Promise<void> => {
    asking.add(server)
    const signal = AbortSignal.any([deps.shutdown, AbortSignal.timeout(patienceMs)])
    const load = await deps.providers
      .get(server)
      ?.load?.(signal)
      .catch(() => null)
    nextAt.set(server, clock.elapsed() + (load ? intervalMs : Math.max(intervalMs, silentMs)))
    if (load) for (const id of ids) deps.health.told(id, load, 3 * intervalMs)
    asking.delete(server)
  }
  return () => {
    const intervalMs = deps.settings.get('health.load_seconds') * 1000
    if (intervalMs === 0) return Promise.resolve()
    for (const [server, ids] of askedServers(deps))
      if (!asking.has(server) && (nextAt.get(server) ?? 0) <= clock.elapsed()) void ask(server, [...ids], intervalMs)
    return Promise.resolve()
  }
}

/** Each server with the upstreams that are there. */
function askedServers({ catalog, health }: LoadDeps): ReadonlyMap<ProviderRecord, ReadonlySet<string>> {
  const servers = new Map<ProviderRecord, Set<string>>()
  for (const { upstreams, strategy } of catalog().models) {
    const isCluster = upstreams.length > 1
    for (const { provider, id } of upstreams)
      if (health.watched.has(id) || (isCluster && (strategy === 'affinity' || provider.servers !== null)))
        servers.getOrInsertComputed(provider, () => new Set()).add(id)
  }
  return servers
}
