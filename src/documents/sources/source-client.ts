/**
 * Requests of sources: to http: and https: URLs, by GET and PROPFIND, with a bound on time and size. An address is checked on
 * the open connection, so neither a redirect nor a name server leads to a private one unless the operator allows it.
 */
import { AnySignal } from '#lib/any-signal.ts'
import type { Clock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import { AddressForbidden, Http1Failure } from '#lib/http1/failure.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { piecesOf, readAll, type Reply } from '#lib/http1/reply.ts'
import { isPrivateAddress } from '#lib/private-address.ts'
import type { Ticker } from '#lib/ticker.ts'
import { SourceFailure } from './listing.ts'

export interface SourceClientOptions {
  readonly clock: Clock
  readonly ticker: Ticker
  readonly proxyFor?: ProxyFor | undefined
  readonly allowsPrivate: () => boolean
  readonly timeoutMs: () => number
}

export interface SourceRequest {
  readonly method?: 'GET' | 'PROPFIND'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

const redirectsMax = 5
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const connectTimeoutMs = 10_000
const multiStatus = 207

export class SourceClient implements Disposable {
  readonly #client: Http1Client
  readonly #options: SourceClientOptions

  constructor(options: SourceClientOptions) {
    const { clock, ticker, proxyFor, allowsPrivate } = options
    this.#options = options
    this.#client = new Http1Client({
      clock,
      ticker,
      idleMaxPerOrigin: 4,
      headBytesMax: 32 * 1024,
      ...(proxyFor && { proxyFor }),
      mayReach: (address) => allowsPrivate() || !isPrivateAddress(address),
    })
  }

  /** The whole answer as text. Rejects with SourceFailure. */
  async text(request: SourceRequest, bytesMax: number): Promise<string> {
    return this.#within(request, async (signal) => {
      const { body } = await this.#send({ ...request, signal })
      const bytes = await readAll(body, bytesMax)
      if (bytes === null)
        throw new SourceFailure(`The answer of ${hostOf(request.url)} is larger than ${bytesMax} bytes.`)
      return bytes.toString('utf8')
    })
  }

  /** The bytes of the answer, which `receive` takes. Rejects with SourceFailure, and as `receive` does. */
  async bytes<T>(request: SourceRequest, receive: (pieces: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    return this.#within(request, async (signal) => {
      const { body } = await this.#send({ ...request, signal })
      try {
        return await receive(piecesOf(body))
      } finally {
        body.cancel()
      }
    })
  }

  [Symbol.dispose](): void {
    this.#client.close()
  }

  async #within<T>({ url, signal }: SourceRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeoutMs = this.#options.timeoutMs()
    const timeout = AbortSignal.timeout(timeoutMs)
    using either = new AnySignal([signal, timeout])
    try {
      return await work(either.signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (timeout.aborted) throw new SourceFailure(`${hostOf(url)} did not answer within ${timeoutMs / 1000} seconds.`)
      throw thrown instanceof Http1Failure || thrown instanceof TypeError ? failureOf(url, thrown) : thrown
    }
  }

  async #send(request: SourceRequest): Promise<Reply> {
    let { url, headers = {} } = request
    for (let hop = 0; hop <= redirectsMax; hop += 1) {
      const reply = await this.#request({ ...request, url, headers })
      const { location } = reply.headers
      if (!redirects.has(reply.status) || location === undefined) return accepted(reply, url)
      reply.body.cancel()
      const next = URL.canParse(location, url.href) ? new URL(location, url.href) : null
      if (next === null || !/^https?:$/.test(next.protocol))
        throw new SourceFailure(`${hostOf(url)} redirects to no web address.`)
      // What is meant for one server is not told to another one.
      if (next.origin !== url.origin) headers = {}
      url = next
    }
    throw new SourceFailure(`${hostOf(url)} redirects more than ${redirectsMax} times.`)
  }

  async #request({ method = 'GET', url, headers = {}, body, signal }: SourceRequest): Promise<Reply> {
    const sent = {
      method,
      path: url.pathname + url.search,
      headers: { 'user-agent': 'Sluice-Sources', 'accept-encoding': 'identity', ...headers },
      body: body === undefined ? null : Buffer.from(body),
      signal,
      connectTimeoutMs,
    }
    const origin = this.#client.origin(url.href)
    return this.#client.request(origin, { ...sent, reuseConnection: true }).catch((thrown: unknown) => {
      // A kept connection that was closed while the request was on its way.
      if (!(thrown instanceof Http1Failure && thrown.reused && !thrown.answered)) throw thrown
      return this.#client.request(origin, { ...sent, reuseConnection: false })
    })
  }
}

function accepted(reply: Reply, url: URL): Reply {
  if (reply.status === 200 || reply.status === multiStatus) return reply
  reply.body.cancel()
  throw new SourceFailure(`${hostOf(url)} answered with status ${reply.status}.`)
}

function failureOf(url: URL, thrown: unknown): SourceFailure {
  if (thrown instanceof Http1Failure && thrown.cause instanceof AddressForbidden)
    return new SourceFailure(
      `${hostOf(url)} has a private address. Such sources are refused unless the setting documents.sources_allow_private is true.`,
    )
  return new SourceFailure(`No complete answer came from ${hostOf(url)}.`, { cause: thrown })
}

function hostOf(url: URL): string {
  return url.host
}
