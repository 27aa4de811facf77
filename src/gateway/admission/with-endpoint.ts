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
  const has = ({ provider }: Upstream): boolean => providers.get(provider)?.endpoints.has(endpoint) !== false
  if (model.upstreams.every(has)) return model
  const upstreams = model.upstreams.filter(has)
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
