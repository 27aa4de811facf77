/**
 * The one way out to the network: the packages get this in place of the platform's fetch. It holds
 * what every provider must keep to (no redirects, no packed answers, the record's headers last) and
 * turns a failed connection into an UpstreamFailure.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import { ApiError } from '#errors/api-error.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../provider.ts'

export interface CallContext {
  readonly record: ProviderRecord
  readonly requestId: string
  readonly signal: AbortSignal
  readonly reuseConnection: boolean
  /** Bound on an answer, or on one event of a stream. */
  readonly responseBytesMax?: number
  /** The client's headers; only those that say to which trace a request belongs travel on. */
  readonly headers: Readonly<Record<string, string>>
}

export interface CallFetch {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Headers of the last answer's head, lower case, without those that describe its body. */
  readonly answerHeaders: () => Readonly<Record<string, string>>
}

/** Bound on lists of models, and on answers whose call sets none. */
const responseBytesMax = 64 * 1024 * 1024

const traceHeaders = ['traceparent', 'tracestate', 'baggage']

/** A fetch for one call of a provider. */
export function callFetch(context: CallContext): CallFetch {
  let answered: Record<string, string> = {}
  return {
    answerHeaders: () => answered,
    fetch: async (input, init = {}) => {
      const response = await answerTo(input, init, context)
      answered = {}
      for (const [name, value] of response.headers) if (!name.startsWith('content-')) answered[name] = value
      refusePacked(response)
      return bounded(response, context.responseBytesMax ?? responseBytesMax)
    },
  }
}

async function answerTo(input: string | URL | Request, init: RequestInit, context: CallContext): Promise<Response> {
  const { signal } = context
  try {
    return await fetch(input, {
      ...init,
      headers: headersOf(init.headers, context),
      signal: init.signal ?? signal,
      // A redirect would carry the credential to another address.
      redirect: 'manual',
      keepalive: context.reuseConnection,
      // A small packed answer can be larger than memory.
      decompress: false,
    })
  } catch (thrown) {
    signal.throwIfAborted()
    throw new UpstreamFailure(failureKind(thrown), thrown)
  }
}

function refusePacked({ headers, body }: Response): void {
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() === 'identity') return
  void body?.cancel().catch(() => {})
  throw new ApiError('upstream_invalid_response', {
    message: 'The model provider sent a compressed answer, which it was not asked for.',
  })
}

/** The answer, whose body fails when it is longer. Of a stream of events each may be as long. */
function bounded(response: Response, bytesMax: number): Response {
  const { body, status, statusText, headers } = response
  if (body === null) return response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  let bytes = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      const lineEnd = isStream ? piece.lastIndexOf(10) : -1
      bytes = lineEnd < 0 ? bytes + piece.byteLength : piece.byteLength - lineEnd - 1
      if (bytes <= bytesMax) controller.enqueue(piece)
      else controller.error(tooLarge())
    },
  })
  return new Response(body.pipeThrough(counting), { status, statusText, headers })
}

function tooLarge(): ApiError {
  return new ApiError('upstream_invalid_response', {
    message: 'The answer of the model provider is larger than this gateway allows.',
  })
}

function headersOf(given: RequestInit['headers'], { record, requestId, headers }: CallContext): Headers {
  const sent = new Headers(given)
  // A record without a credential gives the packages an empty one.
  for (const [name, value] of sent) if (value === '' || value === 'Bearer') sent.delete(name)
  for (const name of traceHeaders) if (headers[name] !== undefined) sent.set(name, headers[name])
  sent.set('x-request-id', requestId)
  for (const [name, value] of Object.entries(record.headers)) sent.set(name, value)
  sent.set('accept-encoding', 'identity')
  return sent
}

/** Bun's error codes, by experiment with version 1.4. */
function failureKind(thrown: unknown): UpstreamFailureKind {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (/refused|FailedToOpenSocket|NOTFOUND|DNS|UNREACH|ConnectionTimeout/iu.test(code)) return 'refused'
  return /^(ECONNRESET|ConnectionClosed|ConnectionReset|EPIPE)/iu.test(code) ? 'reset' : 'protocol'
}
