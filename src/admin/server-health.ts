/** How plain models do at each server of their providers, over all processes. */
import type { Catalog } from '#catalog/catalog.ts'
import { shownAddress } from '#catalog/servers.ts'
import { bestOf, upstreamOf, type ProcessStatus } from '#gateway/process-status.ts'
import type { UpstreamStatus } from '#gateway/upstreams/upstream-health.ts'

export interface ServerHealth {
  readonly address: string
  readonly status: UpstreamStatus
}

export interface ModelHealth {
  /** As well as the best of its servers. */
  readonly status: UpstreamStatus
  /** Those that this process knows; none when the provider can have one only. */
  readonly servers: readonly ServerHealth[]
}

/** The health of plain models by their id. */
export function healthByModel(catalog: Catalog, statuses: readonly ProcessStatus[]): (modelId: string) => ModelHealth {
  const byModel = new Map<string, Map<string, ServerHealth>>()
  for (const { upstreams } of catalog.models) {
    for (const { id, model, provider } of upstreams) {
      if (provider.server === undefined) continue
      const servers = byModel.get(model.id) ?? new Map<string, ServerHealth>()
      byModel.set(model.id, servers)
      // A composite has the same servers as its component.
      if (!servers.has(id))
        servers.set(id, { address: shownAddress(provider.server), status: upstreamOf(statuses, id) })
    }
  }
  return (modelId) => {
    const servers = [...(byModel.get(modelId)?.values() ?? [])]
    const status = servers.length === 0 ? upstreamOf(statuses, modelId) : bestOf(servers.map((server) => server.status))
    return { status, servers }
  }
}
