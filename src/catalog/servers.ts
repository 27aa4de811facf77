/**
 * The servers behind one provider: those at its address and at further ones, and those that name servers say are there.
 * Each has a record of its own, hence connections and health of its own; all else of the provider is common.
 */
import type { ProviderRecord, ServerAddress } from './records.ts'

/** What name servers have last said, by `lookupOf`; without an entry the host itself is the one server. */
export type FoundServers = ReadonlyMap<string, readonly ServerAddress[]>

/** What has to be looked up for a provider, as a key: how and where; null for nothing. */
export function lookupOf({ servers, baseUrl }: ProviderRecord): string | null {
  return servers === null || servers.dns === null ? null : `${servers.dns} ${baseUrl}`
}

/** One server as people see it: a URL, with the address in place of the name where one name has several. */
export function shownAddress({ baseUrl, ip }: ServerAddress): string {
  if (ip === null) return baseUrl
  const url = new URL(baseUrl)
  url.hostname = ip.includes(':') ? `[${ip}]` : ip
  return url.href.replace(/\/$/, '')
}

// Records are immutable, so what was made of one stays; a server keeps its record while others come and go.
const records = new WeakMap<ProviderRecord, Map<string, ProviderRecord>>()

/** A record for each server of the provider, at least one, each server once; the provider's own when it has no others. */
export function serversOf(provider: ProviderRecord, found: FoundServers): readonly ProviderRecord[] {
  const { servers: wanted, baseUrl } = provider
  if (wanted === null) return [provider]
  const lookup = lookupOf(provider)
  const named = (lookup === null ? undefined : found.get(lookup)) ?? [{ baseUrl, ip: null }]
  const all = [...named, ...wanted.urls.map((url) => ({ baseUrl: url, ip: null }))]
  const servers = new Map(all.map((server) => [shownAddress(server), server] as const))
  const made = records.get(provider) ?? new Map<string, ProviderRecord>()
  records.set(provider, made)
  for (const address of made.keys()) if (!servers.has(address)) made.delete(address)
  return [...servers].map(([address, server]) => {
    const record = made.get(address) ?? { ...provider, baseUrl: server.baseUrl, server }
    made.set(address, record)
    return record
  })
}
