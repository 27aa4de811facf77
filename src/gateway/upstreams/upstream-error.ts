/**
 * Translates an upstream's refusal for the client. A refusal that is the caller's fault is passed on
 * with its message. One that is the gateway's fault (its credential, its address) is not: the caller can
 * do nothing about it, and its message may name things that the caller must not see.
 */
import { ApiError, type ApiErrorDetail } from '#errors/api-error.ts'
import { readAll, type Reply } from '#lib/http1/reply.ts'
import type { Secret } from '#lib/secret.ts'
import { UpstreamFailure } from '#providers/provider.ts'
import { headersForClient } from '../call/headers.ts'
import { errorDetail } from './error-detail.ts'

/** The head of an upstream's answer. */
export interface UpstreamReply extends Reply {
  /** The same failure was the answer to another request, too, which counts it. */
  readonly repeats?: boolean
}

/** Statuses whose cause is in the request: the client gets status, message, type, param and code. */
const callersFault = new Set([400, 404, 409, 413, 415, 422])
const gatewaysFault = new Set([401, 402, 403])
/** Servers that check bodies by a schema repeat what they were sent beside what is wrong with it. */
const errorBytesMax = 1024 * 1024
const refusalHeaders = /^(retry-after(-ms)?|x-upstream-request-id|(x-|anthropic-)?ratelimit-.*)$/
/** Codes of 429 after which trying again is of no use. */
const spentCodes = new Set(['insufficient_quota', 'billing_hard_limit_reached'])

/**
 * The error for an upstream answer that is not a success. Reads its body, bounded.
 * @param known credentials that are cut out of its words
 */
export async function upstreamError(reply: UpstreamReply, known: Iterable<Secret> = []): Promise<ApiError> {
  const { status, repeats = false } = reply
  const body = await readBounded(reply)
  const internal = `upstream status ${status}`
  const headers = errorHeaders(reply.headers)
  const seen = { internal, upstreamStatus: status, repeats, headers }
  if (callersFault.has(status))
    return new ApiError('upstream_rejected', { status, ...seen, ...errorDetail(body, known) })
  if (gatewaysFault.has(status)) return new ApiError('upstream_auth_failed', seen)
  if (status === 429) return rateLimited(seen, body)
  if (status === 408 || status === 504) return new ApiError('upstream_timeout', seen)
  if (status >= 300 && status < 400) {
    return new ApiError('upstream_error', {
      ...seen,
      message: 'The model provider answered with a redirect. An administrator has to correct its base URL.',
    })
  }
  return new ApiError('upstream_error', seen)
}

/** A spent quota keeps its code, so that clients do not try again; the provider's words are about its account. */
function rateLimited(seen: ApiErrorDetail & { readonly headers: Record<string, string> }, body: string): ApiError {
  const { wireCode, wireType } = errorDetail(body)
  const spent = [wireCode, wireType].find((code) => spentCodes.has(code ?? ''))
  if (spent === undefined || spent === null) return new ApiError('upstream_rate_limited', seen)
  return new ApiError('upstream_rate_limited', {
    ...seen,
    wireCode: spent,
    message: 'The quota of this gateway at the model provider is spent. An administrator has to raise it.',
    headers: { ...seen.headers, 'x-should-retry': 'false' },
  })
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

/** The headers that belong to a refusal: when to try again, and the provider's own id of the request. */
function errorHeaders(headers: Reply['headers']): Record<string, string> {
  const all = headersForClient(headers)
  return Object.fromEntries(Object.entries(all).filter(([name]) => refusalHeaders.test(name)))
}

async function readBounded(reply: Reply): Promise<string> {
  try {
    return (await readAll(reply.body, errorBytesMax))?.toString('utf8') ?? ''
  } catch {
    // The status already says what happened; a broken body only loses the message.
    return ''
  }
}
