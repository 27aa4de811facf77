/**
 * What is refused here before anything goes to the vendor, in the words of the OpenAI API. The
 * gateway passes such an answer on like a refusal of the upstream.
 * Shape: https://platform.openai.com/docs/guides/error-codes
 */
import { ApiError } from '#errors/api-error.ts'
import type { ErrorBody } from '#errors/render.ts'
import type { Reply } from '#lib/http1/reply.ts'

interface ProblemDetail {
  readonly status?: number
  readonly code?: string | null
  /** Overrides the type that follows from the status. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Ends a call with an OpenAI-shaped error; caught only in `aiSdkProvider`. */
export class Problem extends Error {
  readonly param: string | null
  readonly status: number
  readonly detail: ProblemDetail

  constructor(message: string, param: string | null = null, detail: ProblemDetail = {}) {
    super(message)
    this.name = 'Problem'
    this.param = param
    this.status = detail.status ?? 400
    this.detail = detail
  }
}

/** The refusal of a field that the vendor's interface has no counterpart of: dropping it would change the answer. */
export function notSupported(param: string, why: string): Problem {
  return new Problem(`"${param}" cannot be honoured: ${why}`, param, { code: 'unsupported_parameter' })
}

/** A provider that cannot be called as it is set up. Callers may read the sentence; trying again does not help. */
export function misconfigured(message: string): ApiError {
  return new ApiError('upstream_unavailable', {
    message: `${message} An administrator has to do this.`,
    headers: { 'x-should-retry': 'false' },
  })
}

/** The error object of a problem, as a body or as an event. */
export function problemBody({ message, param, status, detail }: Problem): ErrorBody {
  return { error: { message, type: detail.type ?? typeOf(status), param, code: detail.code ?? null } }
}

/** A problem as an answer. */
export function problemReply(problem: Problem): Reply {
  const headers = { ...problem.detail.headers, 'content-type': 'application/json' }
  return wholeReply(problem.status, headers, problemBody(problem))
}

/** An answer that is one JSON object, already complete. */
export function wholeReply(status: number, headers: Reply['headers'], value: object): Reply {
  let rest: Uint8Array | null = new TextEncoder().encode(JSON.stringify(value))
  const take = (): Uint8Array | null => {
    const bytes = rest
    rest = null
    return bytes
  }
  return { status, headers, body: { read: take, cancel: () => void take() } }
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error'
  if (status === 429) return 'rate_limit_error'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  return status === 404 ? 'not_found_error' : 'invalid_request_error'
}
