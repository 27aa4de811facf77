/**
 * Calls of a model whose provider runs them in a batch of its own: which they are, and the body that is handed over. The
 * answers go through `serveModelCall` when they are there, so that they are relayed, counted and recorded as any.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { NativeBatches } from '#providers/native-batches.ts'
import { applyRules } from './admission/apply-rules.ts'
import { hasHardBudget } from './admission/reserve-budget.ts'
import { resolveModel } from './admission/resolve-model.ts'
import type { ModelCall } from './endpoints/model-call.ts'
import type { Gateway } from './gateway.ts'
import { checkEffort } from './request/reasoning.ts'
import { bodyLimits } from './serve-model-call.ts'
import { upstreamBody } from './upstreams/upstream-body.ts'

export interface NativeUpstream {
  readonly model: Model
  readonly upstream: Upstream
  readonly batches: NativeBatches
}

/**
 * Where lines with this model go; null when they run here: the model says so, its provider does not take such lines, or a
 * hard budget counts, of which nothing can be reserved for a day. Throws the ApiError of a caller that may not use it.
 */
export function nativeUpstream(
  gateway: Gateway,
  caller: Caller,
  { model: name, endpoint }: { readonly model: string; readonly endpoint: string },
): NativeUpstream | null {
  const catalog = gateway.catalog()
  const model = applyRules(catalog, resolveModel(catalog, name, caller), caller, 'batch')
  const [upstream] = model.upstreams
  if (upstream === undefined || model.record.target.kind !== 'plain' || model.record.batch !== 'native') return null
  const batches = gateway.providers.get(upstream.provider)?.batches
  if (batches?.endpoints.has(endpoint) !== true || hasHardBudget(catalog, { caller, model })) return null
  return { model, upstream, batches }
}

/** The batches of a provider, as long as a model of it is in use. */
export function nativeBatches({ catalog, providers }: Gateway, providerId: string): NativeBatches | null {
  for (const { upstreams } of catalog().models)
    for (const { provider } of upstreams)
      if (provider.id === providerId) return providers.get(provider)?.batches ?? null
  return null
}

/** What is handed over of one call; null when this one runs here. Throws what `serveModelCall` would refuse it with. */
export async function nativeBody(
  gateway: Gateway,
  context: RequestContext,
  caller: Caller,
  call: ModelCall,
): Promise<Uint8Array | null> {
  using held = new DisposableStack()
  const request = await call.read(context, bodyLimits(gateway, caller, held))
  const endpoint = `/v1/${call.endpoint}`
  const native = nativeUpstream(gateway, caller, { model: request.model, endpoint })
  if (native === null || request.documents !== null || request.state !== null) return null
  checkEffort(request.effort, native.model, request.effortField)
  const { batches, upstream } = native
  const body = upstreamBody(request, upstream, call.asksUsage)
  return batches.translate === undefined
    ? body
    : await batches.translate({ endpoint, model: upstream.upstreamName, body })
}
