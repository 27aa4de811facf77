/** Resolves the name in a request to a model that the caller may use. */
import type { Catalog, Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { ModelRequest } from '../request/model-request.ts'

/** The model of this name or alias. Answers 404 when no active model has it, and 403 when the caller may not use the model. */
export function resolveModel(catalog: Catalog, name: string, caller: Caller): Model {
  const resolution = catalog.resolve(name, caller)
  switch (resolution.kind) {
    case 'found':
      return resolution.model
    case 'unknown':
      throw new ApiError('model_not_found', {
        param: 'model',
        message: `No model is called ${quote(name)}. Names are case-sensitive; GET /ai/v1/models lists those you can use.`,
      })
    case 'in_doubt':
      throw new ApiError('store_unavailable')
    case 'forbidden':
      throw new ApiError('model_access_denied', {
        param: 'model',
        message: `You have no access to the model ${quote(name)}. Ask an administrator to add you to a group that has it, or use a key whose scopes include it.`,
      })
  }
}

/**
 * The model that a request asks for. When it names none, that is the endpoint's default, and 400 when
 * no such model exists.
 */
export function resolveRequested(
  catalog: Catalog,
  { model, modelDefaulted }: Pick<ModelRequest, 'model' | 'modelDefaulted'>,
  caller: Caller,
): Model {
  if (modelDefaulted && catalog.resolve(model, caller).kind === 'unknown')
    throw new ApiError('missing_model', { param: 'model' })
  return resolveModel(catalog, model, caller)
}

function quote(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name)
}
