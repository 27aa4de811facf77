/** Errors at addresses that clients of several APIs share. */
import { errorResponse as anthropicErrorResponse } from '#dialects/anthropic/error-response.ts'
import { errorResponse } from '#errors/render.ts'
import type { ErrorRendering } from '#http/route.ts'

/** In Anthropic's shape for clients that send `anthropic-version`, as they all do; in OpenAI's for others. */
export const errorOfAsker: ErrorRendering = (error, requestId, headers) =>
  headers.has('anthropic-version') ? anthropicErrorResponse(error, requestId) : errorResponse(error)
