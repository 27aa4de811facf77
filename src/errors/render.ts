/**
 * Turns an ApiError into bytes: the JSON body of a refused request, or the last event of a stream
 * that broke. OpenAI's form; a dialect that has its own renders it beside its answers.
 * Shape: https://platform.openai.com/docs/guides/error-codes
 */
import type { ApiError } from './api-error.ts'

export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
    readonly current?: object
  }
}

/** The error as the OpenAI SDKs read it. */
export function errorBody(error: ApiError): ErrorBody {
  return {
    error: {
      message: error.message,
      type: error.detail.wireType ?? error.row.type,
      param: error.detail.param ?? null,
      code: error.wireCode,
      ...(error.detail.current && { current: error.detail.current }),
    },
  }
}

/** A complete JSON answer for an error that ends a request before its first byte. */
export function errorResponse(error: ApiError): Response {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...error.detail.headers }
  const { retryAfterSeconds } = error.row
  if (retryAfterSeconds !== undefined) headers['retry-after'] ??= String(retryAfterSeconds)
  if (!error.row.retryable) headers['x-should-retry'] = 'false'
  if (error.status === 401) headers['www-authenticate'] = 'Bearer'
  return new Response(JSON.stringify(errorBody(error)), { status: error.status, headers })
}

/** The error as one server-sent event, for a stream whose 200 has already gone out. */
export function errorEvent(error: ApiError): Uint8Array {
  return new TextEncoder().encode(`data: ${JSON.stringify(errorBody(error))}\n\n`)
}
