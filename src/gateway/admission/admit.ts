/** Takes the in-flight slot of a request, or refuses it. */
import type { Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Gateway } from '../gateway.ts'
import type { Slot } from './inflight.ts'

type Admission = Pick<Gateway, 'catalog' | 'inflight' | 'metrics' | 'settings'>

/**
 * The slot of this request, counted for its account and canonical model. Answers 429 when the limit
 * is enforced and reached. A refusal touches no other counter.
 */
export function admit(gateway: Admission, caller: Caller, model: Model): Slot | Promise<Slot> {
  const { settings, inflight } = gateway
  const limit = settings.get('limits.realtime_inflight.enforce')
    ? gateway.catalog().inflightLimit(caller.account, model, settings.get('limits.realtime_inflight.default'))
    : Infinity
  const taken = inflight.acquire(caller.account.user.id, model.record.id, limit)
  return taken instanceof Promise
    ? taken.then((slot) => slot ?? refuse(gateway, model, limit))
    : (taken ?? refuse(gateway, model, limit))
}

/** Tells the client how much of its limit is in use, while there is one. */
export function tellInflight(context: RequestContext, { inUse, limit }: Pick<Slot, 'inUse' | 'limit'>): void {
  if (limit === Infinity) return
  context.addHeader('x-sluice-inflight-limit', String(limit))
  context.addHeader('x-sluice-inflight-used', String(inUse))
}

function refuse({ metrics }: Admission, model: Model, limit: number): never {
  metrics.inflightRefused(model.record.name)
  throw new ApiError('inflight_limit_exceeded', {
    message: `Your account already has ${limit} requests in flight on ${model.record.name}, which is its limit. Try again when one has finished.`,
    // SDKs wait exactly as long as they are told: without jitter all refused clients would come back at once.
    headers: {
      'retry-after-ms': String(500 + Math.floor(Math.random() * 1000)),
      'x-sluice-inflight-limit': String(limit),
      'x-sluice-inflight-used': String(limit),
    },
  })
}
