/**
 * Errors in Cohere's shape: a message, and the id of the request. The code of the catalogue is beside them.
 * Source: https://docs.cohere.com/reference/errors
 */
import type { ApiError } from '#errors/api-error.ts'
import { errorResponse as chatErrorResponse } from '#errors/render.ts'

/** A complete answer, with the headers that the same error has in the gateway's own dialect. */
export function errorResponse(error: ApiError, requestId: string): Response {
  const { headers } = chatErrorResponse(error)
  const body = { id: requestId, message: error.message, code: error.wireCode }
  return new Response(JSON.stringify(body), { status: error.status, headers })
}
