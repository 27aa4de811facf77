/** Who keeps an answer of the Responses API: its provider, or the gateway. */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import { storesResponses } from '#providers/openai.ts'
import type { ModelRequest } from '../request/model-request.ts'

/** The gateway keeps it, because the provider has no Responses API or stores nothing. */
export function isGatewayKept({ translated }: Pick<ModelRequest, 'translated'>, { provider }: Upstream): boolean {
  return translated || !storesResponses(provider)
}

/** A response in the background is made by one keeper: where some upstreams store and others do not, those that do. */
export function withOneKeeper(model: Model, { state, translated }: ModelRequest): Model {
  if (state?.background !== true || translated) return model
  const storing = model.upstreams.filter(({ provider }) => storesResponses(provider))
  return storing.length === 0 ? model : { ...model, upstreams: storing }
}
