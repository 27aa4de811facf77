/** Takes the in-flight slot of a request, or refuses it. */
import type { Catalog, Model } from '#catalog/catalog.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { InflightLimiter, Slot } from '#limits/inflight.ts'

/** What admission needs of the gateway. */
export interface AdmissionDeps {
  readonly settings: LiveSettings
  readonly catalog: () => Catalog
  readonly inflight: InflightLimiter
  readonly metrics: Metrics
}

/**
 * The slot of this request, counted for its account and canonical model. Answers 429 when the limit
 * is enforced and reached. A refusal touches no other counter.
 */
export function admit(deps: AdmissionDeps, caller: Caller, model: Model): Slot | Promise<Slot> {
  const { settings, inflight } = deps
  const limit = settings.get('limits.realtime_inflight.enforce')
    ? deps.catalog().inflightLimit(caller.account, model, settings.get('limits.realtime_inflight.default'))
    : Infinity
  const taken = inflight.acquire(caller.account.user.id, model.record.id, limit)
  return taken instanceof Promise ? admitLater(deps, taken, model, limit) : (taken ?? refuse(deps, model, limit))
}

async function admitLater(deps: AdmissionDeps, taking: Promise<Slot | null>, model: Model, limit: number) {
  return (await taking) ?? refuse(deps, model, limit)
}

/** Adds the headers that say how much of the limit is in use, if there is a limit. */
export function addInflightHeaders(context: RequestContext, { inUse, limit }: Pick<Slot, 'inUse' | 'limit'>): void {
  if (limit === Infinity) return
  context.addHeader('x-sluice-inflight-limit', String(limit))
  context.addHeader('x-sluice-inflight-used', String(inUse))
}

function refuse({ metrics }: AdmissionDeps, model: Model, limit: number): never {
  metrics.inflightRefused(model.record.name)
  throw new ApiError('inflight_limit_exceeded', {
    message: `Your account already has ${limit} requests in flight on ${model.record.name}, which is its limit. Try again when one has finished.`,
    // SDKs wait exactly this long: without jitter all refused clients would come back at once.
    headers: {
      'retry-after-ms': String(500 + Math.floor(Math.random() * 1000)),
      'x-sluice-inflight-limit': String(limit),
      'x-sluice-inflight-used': String(limit),
    },
  })
}
