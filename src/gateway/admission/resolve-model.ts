/** From the name in a request to a model that the caller may use. */
import type { Catalog, Model } from '#catalog/catalog.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { ModelRequest } from '../request/model-request.ts'

/** Answers 404 for a name that no active model has, and 403 for a model of other people's groups. */
export function resolveModel(catalog: Catalog, name: string, caller: Caller): Model {
  const resolution = catalog.resolve(name, caller)
  switch (resolution.kind) {
    case 'found':
      return resolution.model
    case 'unknown':
      throw new ApiError('model_not_found', {
        param: 'model',
        message: `No model is called ${quoted(name)}. Names are case-sensitive; GET /ai/v1/models lists those you can use.`,
      })
    case 'forbidden':
      throw new ApiError('model_access_denied', {
        param: 'model',
        message: `You have no access to the model ${quoted(name)}. Ask an administrator to add you to a group that has it, or use a key whose scopes include it.`,
      })
  }
}

/**
 * The model that a request asks for. When it names none, the endpoint's own is looked for, and one
 * that does not exist is a name left out: 400.
 */
export function resolveAsked(
  catalog: Catalog,
  { model, modelAssumed }: Pick<ModelRequest, 'model' | 'modelAssumed'>,
  caller: Caller,
): Model {
  if (modelAssumed && catalog.resolve(model, caller).kind === 'unknown')
    throw new ApiError('missing_model', { param: 'model' })
  return resolveModel(catalog, model, caller)
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name)
}
