/** The errors of requests to the server. */

interface ErrorBody {
  readonly error?: {
    readonly message?: string
    readonly code?: string | null
    readonly param?: string | null
    readonly current?: { readonly etag: string }
  }
}

export interface ApiErrorDetails {
  readonly message: string
  /** The code of the server's error catalogue; `unreachable` when there was no answer. */
  readonly code: string
  readonly status: number
  /** The invalid parameter. */
  readonly param: string | null
  /** The id by which an administrator finds the request in the log. */
  readonly requestId: string | null
  /** Seconds to wait, from the `Retry-After` header. */
  readonly retryAfterSeconds: number | null
  /** The record as it is now, when the request was about an earlier version of it. */
  readonly current?: { readonly etag: string } | undefined
}

/** An error whose message can be shown to the user. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly param: string | null
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
  readonly current: { readonly etag: string } | undefined

  constructor({ message, code, status, param, requestId, retryAfterSeconds, current }: ApiErrorDetails) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.param = param
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.current = current
  }
}

/** The error as plain data, which can be stored. */
export function detailsOf(error: ApiError): ApiErrorDetails {
  const { message, code, status, param, requestId, retryAfterSeconds } = error
  return { message, code, status, param, requestId, retryAfterSeconds }
}

/** The error of an unsuccessful response. */
export async function errorFromResponse(response: Response): Promise<ApiError> {
  const text = await response.text()
  const body = parsed(text)
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError({
    message:
      body?.error?.message ??
      `The server answered with status ${response.status}. Try again. If the error persists, tell your administrator.`,
    code: body?.error?.code ?? `status_${response.status}`,
    status: response.status,
    param: body?.error?.param ?? null,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(wait) ? wait : null,
    current: body?.error?.current,
  })
}

/** The error of a request without an answer. */
export function connectionError(): ApiError {
  return new ApiError({
    message: 'The server cannot be reached. Check the connection and try again.',
    code: 'unreachable',
    status: 0,
    param: null,
    requestId: null,
    retryAfterSeconds: null,
  })
}

/** Any thrown value as an ApiError. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new ApiError({
    message,
    code: 'console_error',
    status: 0,
    param: null,
    requestId: null,
    retryAfterSeconds: null,
  })
}

function parsed(text: string): ErrorBody | null {
  try {
    return JSON.parse(text) as ErrorBody
  } catch {
    return null
  }
}
