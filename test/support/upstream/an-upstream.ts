/** An upstream with a name, for tests that look at what is sent to it. */
import type { Upstream } from '#catalog/upstream.ts'
import { aModel, aProvider } from '../store/store-records.ts'

/** @param upstreamName the provider's own name of the model */
export function anUpstream(upstreamName: string, more: Partial<Upstream> = {}): Upstream {
  const provider = aProvider()
  const model = aModel(provider.id)
  return {
    id: model.id,
    model,
    provider,
    upstreamName,
    weight: 1,
    priority: 0,
    reasoning: null,
    prices: [],
    caps: [],
    ...more,
  }
}
