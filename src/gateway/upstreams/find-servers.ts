/**
 * Asks name servers again and again where the servers of a provider are, so that a cluster grows, shrinks and moves while
 * requests run. When they give no answer, or an empty one, what they said before still counts.
 */
import { lookup, resolveSrv } from 'node:dns/promises'
import type { Catalog } from '#catalog/catalog.ts'
import type { ProviderRecord, ServerAddress } from '#catalog/records.ts'
import { lookupOf, type FoundServers } from '#catalog/servers.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Clock } from '#lib/clock.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import type { Logger } from '#observe/log.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** The name servers of this machine, with its own table of hosts. */
export interface Names {
  /** The IP addresses of a host. Rejects when there are none. */
  readonly addresses: (host: string) => Promise<readonly string[]>
  /** The SRV records of a name. Rejects when there are none. */
  readonly services: (name: string) => Promise<readonly Service[]>
}

/** An SRV record (RFC 2782). */
export interface Service {
  readonly name: string
  readonly port: number
  readonly priority: number
}

export const systemNames: Names = {
  addresses: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  services: resolveSrv,
}

export interface FindServersDeps {
  readonly settings: LiveSettings
  readonly state: {
    readonly catalog: Catalog
    readonly providers: Iterable<ProviderRecord>
    putServers(found: FoundServers): void
  }
  readonly health: UpstreamHealth
  readonly clock: Clock
  readonly logger: Logger
  readonly names?: Names | undefined
  readonly proxyFor?: ProxyFor | undefined
}

/** A name with more servers than this is cut: the first of them serve. */
const serversMax = 256

/** Background work, once a second: a provider that is new is looked up at once, the others at the interval of the settings. */
export function findingServers(deps: FindServersDeps): () => Promise<void> {
  const finder = new ServerFinder(deps)
  return () => {
    finder.look()
    return Promise.resolve()
  }
}

class ServerFinder {
  readonly #deps: FindServersDeps
  readonly #names: Names
  #found: FoundServers = new Map()
  /** `clock.elapsed()` of the last question, by what was asked. */
  readonly #askedAt = new Map<string, number>()
  readonly #asking = new Set<string>()
  /** Those without an answer, which is said once. */
  readonly #unanswered = new Set<string>()
  #catalog: Catalog | null = null

  constructor(deps: FindServersDeps) {
    this.#deps = deps
    this.#names = deps.names ?? systemNames
  }

  look(): void {
    const { settings, state, clock } = this.#deps
    const wanted = this.#wanted()
    for (const key of this.#askedAt.keys()) if (!wanted.has(key)) this.#forget(key)
    const dueAt = clock.elapsed() - settings.get('health.lookup_seconds') * 1000
    for (const [key, provider] of wanted) {
      // A slow name server holds up nothing but its own answer.
      if (!this.#asking.has(key) && (this.#askedAt.get(key) ?? -Infinity) <= dueAt) void this.#ask(key, provider)
    }
    if (state.catalog !== this.#catalog) this.#retainHealth(state.catalog)
  }

  #wanted(): ReadonlyMap<string, ProviderRecord> {
    const { state, proxyFor = () => null } = this.#deps
    const wanted = new Map<string, ProviderRecord>()
    for (const provider of state.providers) {
      const key = lookupOf(provider)
      // A proxy looks up names itself.
      if (key !== null && proxyFor(new URL(provider.baseUrl)) === null) wanted.set(key, provider)
    }
    return wanted
  }

  async #ask(key: string, provider: ProviderRecord): Promise<void> {
    const { clock, logger } = this.#deps
    this.#asking.add(key)
    this.#askedAt.set(key, clock.elapsed())
    try {
      const servers = await this.#serversOf(provider)
      this.#unanswered.delete(key)
      if (servers.length > 0 && this.#askedAt.has(key)) this.#put(key, servers, provider)
    } catch (error) {
      if (this.#unanswered.has(key)) return
      this.#unanswered.add(key)
      logger.warn('the servers of a provider cannot be looked up; those known before are used', {
        provider: provider.name,
        error,
      })
    } finally {
      this.#asking.delete(key)
    }
  }

  async #serversOf({ baseUrl, servers }: ProviderRecord): Promise<readonly ServerAddress[]> {
    const { hostname } = new URL(baseUrl)
    if (servers?.dns === 'srv') return servicesAt(baseUrl, await this.#names.services(hostname))
    const addresses = [...new Set(await this.#names.addresses(hostname))].sort()
    return addresses.slice(0, serversMax).map((ip) => ({ baseUrl, ip }))
  }

  #put(key: string, servers: readonly ServerAddress[], { name }: ProviderRecord): void {
    if (Bun.deepEquals(this.#found.get(key), servers)) return
    this.#deps.logger.info('the servers of a provider were looked up', { provider: name, count: servers.length })
    this.#publish(new Map([...this.#found, [key, servers]]))
  }

  #forget(key: string): void {
    this.#askedAt.delete(key)
    this.#unanswered.delete(key)
    if (this.#found.has(key)) this.#publish(new Map([...this.#found].filter(([known]) => known !== key)))
  }

  #publish(found: FoundServers): void {
    this.#found = found
    this.#deps.state.putServers(found)
  }

  #retainHealth(catalog: Catalog): void {
    this.#catalog = catalog
    this.#deps.health.retain(new Set(catalog.models.flatMap(({ upstreams }) => upstreams.map(({ id }) => id))))
  }
}

/** The servers of the records with the lowest priority that there is, as RFC 2782 wants; weights are not looked at. */
function servicesAt(baseUrl: string, services: readonly Service[]): readonly ServerAddress[] {
  const first = Math.min(...services.map(({ priority }) => priority))
  const urls = services
    .filter(({ priority, name }) => priority === first && name !== '' && name !== '.')
    .map(({ name, port }) => {
      const url = new URL(baseUrl)
      url.hostname = name.replace(/\.$/, '')
      url.port = String(port)
      return url.href.replace(/\/$/, '')
    })
  return [...new Set(urls)]
    .sort()
    .slice(0, serversMax)
    .map((url) => ({ baseUrl: url, ip: null }))
}
