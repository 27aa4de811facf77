/** Takes the in-flight slot of a request, or refuses it. */
import type { Catalog, Model } from '#catalog/catalog.ts'
import type { LiveSettings } from '#config/settings/live-settings.ts'
import { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { InflightLimiter, Slot } from '#limits/inflight.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'

/** What admission needs of the gateway. */
export interface AdmissionDeps {
  readonly settings: LiveSettings
  readonly catalog: () => Catalog
  readonly inflight: InflightLimiter
  readonly metrics: Metrics
}

export interface AdmittedRequest {
  readonly context: Pick<RequestContext, 'addHeader'>
  readonly caller: Caller
  readonly model: Model
  readonly record: Pick<RequestRecord, 'limited'>
}

/**
 * The slot of this request, counted for its account and canonical model. Answers 429 when the limit
 * is enforced and reached. A refusal touches no other counter.
 */
export function admit(deps: AdmissionDeps, request: AdmittedRequest): Slot | Promise<Slot> {
  const { settings, inflight } = deps
  const { caller, model } = request
  const limit = settings.get('limits.realtime_inflight.enforce')
    ? deps.catalog().inflightLimit(caller.account, model, settings.get('limits.realtime_inflight.default'))
    : Infinity
  const taken = inflight.acquire(caller.account.user.id, model.record.id, limit)
  return taken instanceof Promise ? admitLater(deps, request, taken, limit) : answered(deps, request, taken, limit)
}

async function admitLater(deps: AdmissionDeps, request: AdmittedRequest, taking: Promise<Slot | null>, limit: number) {
  return answered(deps, request, await taking, limit)
}

/** Where there is a limit, record and headers say how much of it is in use. */
function answered(deps: AdmissionDeps, request: AdmittedRequest, slot: Slot | null, limit: number): Slot {
  const { context, model, record } = request
  if (slot !== null && limit === Infinity) return slot
  const inUse = slot?.inUse ?? limit
  record.limited({
    kind: 'inflight',
    name: model.record.name,
    unit: 'requests',
    limit,
    left: Math.max(0, limit - inUse),
    refused: slot === null,
  })
  if (slot === null) return refuse(deps, model, limit)
  context.addHeader('x-sluice-inflight-limit', String(limit))
  context.addHeader('x-sluice-inflight-used', String(inUse))
  return slot
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
