/**
 * What a package throws, as what the gateway understands: the vendor's refusal as an answer with its
 * own status and words, a connection that failed as an UpstreamFailure. Errors are distinguished by
 * name, as the packages bring several copies of the same classes.
 */
import { ApiError } from '#errors/api-error.ts'
import { UpstreamFailure } from '../provider.ts'
import { Problem } from './problem.ts'

/** Thrown by the packages for what the caller asks and the vendor's interface cannot express. */
const callersFault = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_NoSuchModelError',
  'AI_TypeValidationError',
  'AI_NoSuchProviderReferenceError',
])
const messageCharsMax = 2000

interface CallError extends Error {
  readonly statusCode?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
}

/** The vendor's refusal as a Problem; anything that is not an answer is thrown as an UpstreamFailure or an ApiError. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  const failure = causeOf(thrown)
  if (failure !== null) throw failure
  if (thrown instanceof Error) {
    if (callersFault.has(thrown.name)) return new Problem(clipped(thrown.message))
    if (isCallError(thrown)) return refusal(thrown)
  }
  throw new UpstreamFailure('protocol', thrown)
}

/** An error inside a stream, in words that may be shown; what quotes the vendor's bytes is not. */
export function streamedProblem(thrown: unknown): Problem {
  const { message, type } = asObject(thrown)
  const shown = !(thrown instanceof Error) || isCallError(thrown)
  return new Problem(
    shown && typeof message === 'string' && message !== '' ? clipped(message) : 'The answer cannot be read on.',
    null,
    { status: statusOf(thrown), ...(typeof type === 'string' && { type }) },
  )
}

function refusal(error: CallError): Problem {
  const status = statusOf(error)
  // A success that cannot be read is not a refusal: what came is not what the interface promises.
  if (status < 300) throw new UpstreamFailure('protocol', error)
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(error.responseHeaders ?? {})) {
    if (/^(retry-after(-ms)?|location|request-id|x-request-id)$/iu.test(name)) kept[name.toLowerCase()] = value
  }
  const message = clipped(error.message) || `The provider answered ${status}.`
  return new Problem(message, null, { status: refusedKey(error) ? 401 : status, headers: kept })
}

/** Google answers 400 to a wrong key, which is the gateway's fault and not the caller's. */
function refusedKey({ statusCode, responseBody }: CallError): boolean {
  return statusCode === 400 && (responseBody ?? '').includes('API_KEY_INVALID')
}

function statusOf(thrown: unknown): number {
  const { statusCode } = asObject(thrown)
  return typeof statusCode === 'number' && statusCode >= 200 && statusCode <= 599 ? statusCode : 502
}

function isCallError(error: Error): error is CallError {
  return error.name === 'AI_APICallError'
}

/** The packages wrap what our fetch throws. */
function causeOf(thrown: unknown): UpstreamFailure | ApiError | null {
  for (let at = thrown; at instanceof Error; at = at.cause)
    if (at instanceof UpstreamFailure || at instanceof ApiError) return at
  return null
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function clipped(text: string): string {
  return text.length > messageCharsMax ? `${text.slice(0, messageCharsMax)}…` : text
}
