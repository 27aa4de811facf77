/** What a refused or failed call of an embedding model means to the document that waits for it. */
import { ApiError } from '#errors/api-error.ts'
import type { ErrorCode } from '#errors/catalogue.ts'
import { EmbedFailure } from './embedder.ts'

/** Another request cannot help: the model is gone, or the user may not use it. */
const gone: ReadonlySet<ErrorCode> = new Set([
  'model_not_found',
  'model_access_denied',
  'endpoint_not_supported',
  'realtime_denied',
  'batch_denied',
])

/** The failure of a call. What is one already stays as it is. */
export function embedFailureOf(thrown: unknown, model: string): EmbedFailure {
  if (thrown instanceof EmbedFailure) return thrown
  const failed = (message: string, retryAfterMs: number | null = null): EmbedFailure =>
    new EmbedFailure('embedder_failed', message, { retryable: true, retryAfterMs, cause: thrown })
  const named = JSON.stringify(model)
  if (!(thrown instanceof ApiError)) return failed(`The embedding model ${named} could not be called.`)
  if (gone.has(thrown.code)) {
    return new EmbedFailure(
      'embedder_unavailable',
      `The embedding model ${named} cannot be used by the importing user: ${thrown.message}`,
      { retryable: false, cause: thrown },
    )
  }
  if (thrown.code === 'upstream_invalid_response')
    return new EmbedFailure('embedder_invalid_answer', thrown.message, { retryable: true, cause: thrown })
  if (thrown.row.retryable) return failed(`${thrown.message} (embedding model ${named})`, retryAfterMsOf(thrown))
  return new EmbedFailure('embedder_refused', `The embedding model ${named} refused the texts: ${thrown.message}`, {
    retryable: false,
    cause: thrown,
  })
}

/** The time that the provider asked to wait; null when it asked for none, or in a way that is not understood. */
function retryAfterMsOf({ detail: { headers = {} } }: ApiError): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return exact
  const after = headers['retry-after'] ?? ''
  if (/^\d+(?:\.\d+)?$/.test(after)) return Number(after) * 1000
  // RFC 9110 section 10.2.3 also allows a date.
  const at = Date.parse(after)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}
