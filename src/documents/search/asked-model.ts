/** Models that a search asks for their opinion: who may ask which, and an answer in time or the reason why there is none. */
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { Documents } from '../documents.ts'

type Models = Documents['models']

/** An answer, parsed; undefined for what is not JSON or too long. */
export type Opinion = { readonly answer: unknown } | { readonly failure: string }

const answerCharactersMax = 1024 * 1024

/** Canonical name of a model that the field `param` names. Answers 422 for one that is unknown, and 403, by throwing. */
export function askedModel(models: Models, name: string, caller: Caller, param: string): string {
  try {
    return models.resolve(name, caller).name
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.code !== 'model_not_found') throw thrown
    const message = `"${param}": there is no model ${JSON.stringify(name)}.`
    throw new ApiError('validation_failed', { param, message })
  }
}

/** What the model answers within `documents.model_seconds`. Rejects only with the reason of `signal`. */
export async function opinionOf(
  { settings }: Documents,
  model: string,
  signal: AbortSignal,
  ask: (ended: AbortSignal) => Promise<Response>,
): Promise<Opinion> {
  const seconds = settings.get('documents.model_seconds')
  const patience = AbortSignal.timeout(seconds * 1000)
  try {
    const response = await ask(AbortSignal.any([signal, patience]))
    return { answer: parsed(await response.text()) }
  } catch (thrown) {
    signal.throwIfAborted()
    return { failure: patience.aborted ? `${model} took longer than ${seconds} s.` : toApiError(thrown).message }
  }
}

function parsed(text: string): unknown {
  if (text.length > answerCharactersMax) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
