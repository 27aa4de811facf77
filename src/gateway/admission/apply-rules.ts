/** Traffic rules of a model: which purposes it denies, and which it redirects to another model. */
import type { Catalog, Model } from '#catalog/catalog.ts'
import type { Purpose } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'

/**
 * The model that serves: this one, or the one to which its rule for the purpose redirects. Answers 403
 * when a rule denies the purpose or the caller may not use that other model, and 503 when it is not
 * in use. At most one redirect is followed: the other model's own redirect applies only to requests
 * that name it, its denial always applies.
 */
export function applyRules(catalog: Catalog, model: Model, caller: Caller, purpose: Purpose): Model {
  const rule = model.record.rules[purpose]
  if (rule === undefined) return model
  if (rule.action === 'deny') throw denied(purpose)
  const resolution = catalog.resolveId(rule.modelId, caller)
  switch (resolution.kind) {
    case 'found':
      if (isDenied(resolution.model, purpose)) throw denied(purpose)
      return resolution.model
    case 'in_doubt':
      throw new ApiError('store_unavailable')
    case 'unknown':
      throw new ApiError('upstream_unavailable', {
        message:
          'Requests to this model are redirected to another model, which is not in use. Tell your administrator.',
        internal: `model ${model.record.name} redirects ${purpose} requests to ${rule.modelId}, which is not active`,
      })
    case 'forbidden':
      throw new ApiError('model_access_denied', {
        param: 'model',
        message:
          'Requests to this model are redirected to another model that you have no access to. Ask an administrator to add you to a group that has it.',
      })
  }
}

/** Whether the model's own rule denies the purpose; a redirect is not a denial. */
export function isDenied({ record }: Model, purpose: Purpose): boolean {
  return record.rules[purpose]?.action === 'deny'
}

function denied(purpose: Purpose): ApiError {
  return new ApiError(purpose === 'realtime' ? 'realtime_denied' : 'batch_denied', { param: 'model' })
}
