/**
 * The one error class of the request path: a row of the catalogue plus what this occurrence adds.
 *
 * Thrown only by what ends a request. `message` and `param` are public; `internal` and `cause` go
 * to the log and nowhere else. There are no subclasses: read `code`.
 */
import { errorCatalogue, type ErrorCode, type ErrorRow } from './catalogue.ts'

export interface ApiErrorDetail {
  /** Public sentence; the catalogue's when left out. Must hold no secret, path, prompt or stack. */
  readonly message?: string | undefined
  /** The request field at fault, as a dotted path. */
  readonly param?: string | null
  /** Replaces the catalogue's status: only for an upstream's own 4xx, passed on. */
  readonly status?: number
  /** Replaces the code on the wire: only for an upstream's own error, passed on. */
  readonly wireCode?: string | null
  /** Replaces the type on the wire: only for an upstream's own error, passed on. */
  readonly wireType?: string
  /** The record as it is now, for a change of an earlier version of it. */
  readonly current?: object
  /** Extra response headers, for example `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
  /** What the upstream answered, when it answered: decides whether another one is asked. */
  readonly upstreamStatus?: number
  /** The call that failed was another request's as well, which has its failure counted. */
  readonly repeats?: boolean
  /** For the log only. */
  readonly internal?: string
  readonly cause?: unknown
}

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly row: ErrorRow
  readonly detail: ApiErrorDetail

  constructor(code: ErrorCode, detail: ApiErrorDetail = {}) {
    super(detail.message ?? errorCatalogue[code].message, { cause: detail.cause })
    this.name = 'ApiError'
    this.code = code
    this.row = errorCatalogue[code]
    this.detail = detail
  }

  /** HTTP status of the answer. */
  get status(): number {
    return this.detail.status ?? this.row.status
  }

  /** The code as the client reads it: ours, or the upstream's own when its error is passed on. */
  get wireCode(): string | null {
    return this.detail.wireCode === undefined ? this.code : this.detail.wireCode
  }
}

/**
 * Anything thrown, as an ApiError: unknown exceptions become `internal_error` with the original as cause.
 * @param client the signal of the request: what its abort made fail is `client_closed`
 */
export function toApiError(thrown: unknown, client?: AbortSignal): ApiError {
  if (thrown instanceof ApiError) return thrown
  const left = client?.aborted === true && (thrown === client.reason || isAbort(thrown))
  return new ApiError(left ? 'client_closed' : 'internal_error', { cause: thrown })
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError'
}
