/**
 * The one way out to the network: the packages get this in place of the platform's fetch. It holds
 * what every provider must keep to (no redirects, no packed answers, the record's headers last) and
 * turns a failed connection into an UpstreamFailure.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../provider.ts'

export interface CallContext {
  readonly record: ProviderRecord
  readonly requestId: string
  readonly signal: AbortSignal
  readonly reuseConnection: boolean
  /** The client's headers; only those that say to which trace a request belongs travel on. */
  readonly headers: Readonly<Record<string, string>>
}

export interface CallFetch {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Headers of the last answer's head, lower case, without those that describe its body. */
  readonly answerHeaders: () => Readonly<Record<string, string>>
}

const traceHeaders = ['traceparent', 'tracestate', 'baggage']

/** A fetch for one call of a provider. */
export function callFetch(context: CallContext): CallFetch {
  let answered: Record<string, string> = {}
  return {
    answerHeaders: () => answered,
    fetch: async (input, init = {}) => {
      const { signal } = context
      try {
        const response = await fetch(input, {
          ...init,
          headers: headersOf(init.headers, context),
          signal: init.signal ?? signal,
          // A redirect would carry the credential to another address.
          redirect: 'manual',
          keepalive: context.reuseConnection,
        })
        answered = {}
        for (const [name, value] of response.headers) if (!name.startsWith('content-')) answered[name] = value
        return response
      } catch (thrown) {
        signal.throwIfAborted()
        throw new UpstreamFailure(failureKind(thrown), thrown)
      }
    },
  }
}

function headersOf(given: RequestInit['headers'], { record, requestId, headers }: CallContext): Headers {
  const sent = new Headers(given)
  // A record without a credential gives the packages an empty one.
  for (const [name, value] of sent) if (value === '' || value === 'Bearer') sent.delete(name)
  for (const name of traceHeaders) if (headers[name] !== undefined) sent.set(name, headers[name])
  sent.set('x-request-id', requestId)
  sent.set('accept-encoding', 'identity')
  for (const [name, value] of Object.entries(record.headers)) sent.set(name, value)
  return sent
}

/** Bun's error codes, by experiment with version 1.4. */
function failureKind(thrown: unknown): UpstreamFailureKind {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (/refused|FailedToOpenSocket|NOTFOUND|DNS|UNREACH|ConnectionTimeout/iu.test(code)) return 'refused'
  return /^(ECONNRESET|ConnectionClosed|ConnectionReset|EPIPE)/iu.test(code) ? 'reset' : 'protocol'
}
