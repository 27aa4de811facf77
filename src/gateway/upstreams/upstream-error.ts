/**
 * Translates an upstream's refusal for the client. A refusal that is the caller's fault is passed on
 * with its message. One that is the gateway's fault (its credential, its address) is not: the caller can
 * do nothing about it, and its message may name things that the caller must not see.
 */
import { ApiError, type ApiErrorDetail } from '#errors/api-error.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import { UpstreamFailure } from '#providers/provider.ts'

/** The head of an upstream's answer. */
export interface UpstreamReply extends Reply {
  /** The same failure was the answer to another request, too, which counts it. */
  readonly repeats?: boolean
}

/** Statuses whose cause is in the request: the client gets status, message, type, param and code. */
const callersFault = new Set([400, 404, 409, 413, 415, 422])
const gatewaysFault = new Set([401, 402, 403])
const errorBytesMax = 64 * 1024
const messageCharsMax = 2000

/** The error for an upstream answer that is not a success. Reads its body, bounded. */
export async function upstreamError(reply: UpstreamReply): Promise<ApiError> {
  const { status, repeats = false } = reply
  const body = await readBounded(reply)
  const internal = `upstream status ${status}`
  const seen = { internal, upstreamStatus: status, repeats }
  if (callersFault.has(status)) return new ApiError('upstream_rejected', { status, ...seen, ...detailFrom(body) })
  if (gatewaysFault.has(status)) return new ApiError('upstream_auth_failed', seen)
  if (status === 429) return new ApiError('upstream_rate_limited', { ...seen, headers: retryHeaders(reply.headers) })
  if (status === 408 || status === 504) return new ApiError('upstream_timeout', seen)
  if (status >= 300 && status < 400) {
    return new ApiError('upstream_error', {
      ...seen,
      message: 'The model provider answered with a redirect. An administrator has to correct its base URL.',
    })
  }
  return new ApiError('upstream_error', { ...seen, headers: retryHeaders(reply.headers) })
}

/** The error for a call without an answer. @param ended why the gateway itself ended the call, if it did */
export function failureError(thrown: unknown, ended: ApiError | null): ApiError {
  if (ended !== null) return ended
  if (thrown instanceof ApiError) return thrown
  if (!(thrown instanceof UpstreamFailure)) return new ApiError('internal_error', { cause: thrown })
  const { repeats } = thrown
  if (thrown.kind === 'connect-timeout') {
    return new ApiError('upstream_timeout', {
      message: 'The connection to the model provider was not made in time.',
      cause: thrown,
      repeats,
    })
  }
  const message = {
    refused: 'The model provider cannot be reached.',
    stale: 'The model provider closed the connection without an answer.',
    reset: 'The model provider closed the connection without an answer.',
    protocol: 'The connection to the model provider failed.',
  }[thrown.kind]
  return new ApiError('upstream_error', { message, cause: thrown, repeats })
}

/** The upstream's own error object, when there is one that the caller can use. */
function detailFrom(body: string): ApiErrorDetail {
  const parsed = parseObject(body)
  // OpenAI nests the object; several servers write its fields at the top or as one string.
  const nested = parsed?.['error'] ?? parsed
  if (typeof nested === 'string') return { message: nested === '' ? undefined : clip(nested), wireCode: null }
  if (typeof nested !== 'object' || nested === null) return { wireCode: null }
  const { message, type, param, code } = nested as Readonly<Record<string, unknown>>
  return {
    message: typeof message === 'string' && message !== '' ? clip(message) : undefined,
    param: typeof param === 'string' ? param : null,
    wireCode: typeof code === 'string' ? code : null,
    ...(typeof type === 'string' && { wireType: type }),
  }
}

function retryHeaders(headers: Reply['headers']): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of ['retry-after', 'retry-after-ms']) {
    const value = headers[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

function clip(text: string): string {
  return text.length > messageCharsMax ? `${text.slice(0, messageCharsMax)}…` : text
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // An HTML page or plain text is not meant for the caller.
    return null
  }
}

async function readBounded(reply: Reply): Promise<string> {
  try {
    return (await readAll(reply.body, errorBytesMax))?.toString('utf8') ?? ''
  } catch {
    // The status already says what happened; a broken body only loses the message.
    return ''
  }
}
