/** What went wrong with a request to the server: its own refusal, or no answer at all. */

interface ErrorBody {
  readonly error?: { readonly message?: string; readonly code?: string | null; readonly param?: string | null }
}

export interface ApiErrorDetails {
  readonly message: string
  /** Stable name from the server's catalogue; `unreachable` when no answer came. */
  readonly code: string
  readonly status: number
  /** The field at fault. */
  readonly param: string | null
  /** What an administrator finds the request by. */
  readonly requestId: string | null
  /** Seconds to wait, when the server named them. */
  readonly retryAfterSeconds: number | null
}

/** An error that can be shown to people as it is. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly param: string | null
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor({ message, code, status, param, requestId, retryAfterSeconds }: ApiErrorDetails) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.param = param
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The error as plain data, which can be stored and made an error again. */
export function detailsOf(error: ApiError): ApiErrorDetails {
  const { message, code, status, param, requestId, retryAfterSeconds } = error
  return { message, code, status, param, requestId, retryAfterSeconds }
}

/** The error of an answer that is no success. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text()
  const body = parsed(text)
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError({
    message:
      body?.error?.message ??
      `The server answered ${response.status}. Try again; if it stays, tell your administrator.`,
    code: body?.error?.code ?? `status_${response.status}`,
    status: response.status,
    param: body?.error?.param ?? null,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(wait) ? wait : null,
  })
}

/** The error of a request that got no answer. */
export function unreachable(): ApiError {
  return new ApiError({
    message: 'The server cannot be reached. Check the connection and try again.',
    code: 'unreachable',
    status: 0,
    param: null,
    requestId: null,
    retryAfterSeconds: null,
  })
}

/** Anything that was thrown as an error with a message for people. */
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
