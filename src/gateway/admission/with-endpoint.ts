/** Leaves out the upstreams of a model that do not have an endpoint. */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { ApiError } from '#errors/api-error.ts'
import { endpointNames, type Endpoint } from '#providers/provider.ts'
import type { ProviderPool } from '#providers/registry.ts'

/**
 * The model with those of its upstreams that have the endpoint. Answers 404 when none has it; a
 * model without upstreams is left as it is.
 * @param requested the endpoint that the client called, if it is another one
 */
export function withEndpoint(
  providers: ProviderPool,
  model: Model,
  endpoint: Endpoint,
  requested: Endpoint = endpoint,
): Model {
  return haveAll(providers, model.upstreams, endpoint) ? model : withoutOthers(providers, model, endpoint, requested)
}

/** Apart, so that a request of which all have the endpoint makes no closure. */
function withoutOthers(providers: ProviderPool, model: Model, endpoint: Endpoint, requested: Endpoint): Model {
  const upstreams = model.upstreams.filter((upstream) => mayHave(providers, upstream, endpoint))
  if (upstreams.length > 0) return { ...model, upstreams }
  const offered = endpointNames.filter((name) =>
    model.upstreams.some(({ provider }) => providers.get(provider)?.endpoints.has(name)),
  )
  const instead = offered.length === 0 ? 'no endpoint at all' : offered.join(', ')
  throw new ApiError('endpoint_not_supported', {
    param: 'model',
    message: `The model ${model.record.name} has no endpoint ${requested}. Its provider offers ${instead}.`,
  })
}

function haveAll(providers: ProviderPool, upstreams: readonly Upstream[], endpoint: Endpoint): boolean {
  for (const upstream of upstreams) if (!mayHave(providers, upstream, endpoint)) return false
  return true
}

function mayHave(providers: ProviderPool, { provider }: Upstream, endpoint: Endpoint): boolean {
  return providers.get(provider)?.endpoints.has(endpoint) !== false
}
