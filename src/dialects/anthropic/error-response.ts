/**
 * Errors in Anthropic's shape. The code of the catalogue is in `details`,
 * where the official SDKs look for it (`error.errorCode`).
 * Source: https://platform.claude.com/docs/en/api/errors
 */
import type { ApiError } from '#errors/api-error.ts'
import { errorResponse as chatErrorResponse } from '#errors/render.ts'

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** The error as the body of an answer, or as the data of an error event. */
export function errorBody(error: ApiError): { readonly type: 'error'; readonly error: object } {
  const { status, wireCode } = error
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message: error.message, details: detailsOf(wireCode) } }
}

/**
 * A complete answer, with the headers that the same error has in the gateway's own dialect.
 * @param requestId goes where Anthropic's clients look for it: into the body, and into the header `request-id`
 */
export function errorResponse(error: ApiError, requestId?: string): Response {
  const { headers } = chatErrorResponse(error)
  if (requestId !== undefined) headers.set('request-id', requestId)
  const body = { ...errorBody(error), ...(requestId !== undefined && { request_id: requestId }) }
  return new Response(JSON.stringify(body), { status: error.status, headers })
}

function detailsOf(code: string | null): object | null {
  return code === null ? null : { error_code: code }
}
