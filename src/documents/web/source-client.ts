/**
 * Requests to web servers that others have named: to http: and https: URLs, by GET, POST and PROPFIND, with a bound on time and
 * size. An address is checked on the open connection, so neither a redirect nor a name server leads to a private one unless the
 * operator allows it.
 */
import { createBrotliDecompress, createGunzip, createInflate, type Gunzip } from 'node:zlib'
import { AnySignal } from '#lib/any-signal.ts'
import type { Clock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import { AddressForbidden, Http1Failure } from '#lib/http1/failure.ts'
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { piecesOf, type Reply } from '#lib/http1/reply.ts'
import { isPrivateAddress, isPrivateHost } from '#lib/private-address.ts'
import type { Ticker } from '#lib/ticker.ts'
import { SourceFailure } from './source-failure.ts'

export interface SourceClientOptions {
  readonly clock: Clock
  readonly ticker: Ticker
  readonly proxyFor?: ProxyFor | undefined
  readonly allowsPrivate: () => boolean
  /** The setting that would allow them, named in the refusal. */
  readonly allowedBy: string
  readonly timeoutMs: () => number
}

export interface SourceRequest {
  readonly method?: 'GET' | 'POST' | 'PROPFIND'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal: AbortSignal
  /** Asked before the request and before each redirect; rejects when that is not to be asked for. */
  readonly allows?: (url: URL) => Promise<void>
}

/** The head of an answer with a content. */
export interface ReceivedHead {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

const redirectsMax = 5
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const connectTimeoutMs = 10_000
const multiStatus = 207
/** Statuses after which the same request may succeed. */
const passing: ReadonlySet<number> = new Set([408, 425, 429])

const decoders: Readonly<Record<string, () => Gunzip>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
}

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
    return (await this.whole(request, bytesMax)).toString('utf8')
  }

  /** The whole answer. Rejects with SourceFailure. */
  async whole(request: SourceRequest, bytesMax: number): Promise<Buffer> {
    return this.bytes(request, async (pieces) => {
      const parts: Uint8Array[] = []
      let bytesLeft = bytesMax
      for await (const piece of pieces) {
        bytesLeft -= piece.byteLength
        if (bytesLeft < 0)
          throw new SourceFailure(`The answer of ${hostOf(request.url)} is larger than ${bytesMax} bytes.`)
        parts.push(piece)
      }
      return Buffer.concat(parts)
    })
  }

  /**
   * The bytes of the answer, unpacked, which `receive` takes piece by piece. Rejects with SourceFailure, and as `receive` does.
   */
  async bytes<T>(
    request: SourceRequest,
    receive: (pieces: AsyncIterable<Uint8Array>, head: ReceivedHead) => Promise<T>,
  ): Promise<T> {
    return this.#within(request, async (signal) => {
      const { headers, body } = await this.#send({ ...request, signal })
      try {
        return await receive(decoded(body, headers['content-encoding'], request.url), { headers })
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
      if (timeout.aborted)
        throw new SourceFailure(`${hostOf(url)} did not answer within ${timeoutMs / 1000} seconds.`, { mayPass: true })
      throw thrown instanceof Http1Failure || thrown instanceof TypeError ? this.#failureOf(url, thrown) : thrown
    }
  }

  async #send(request: SourceRequest): Promise<Reply> {
    let { url, headers = {} } = request
    for (let hop = 0; hop <= redirectsMax; hop += 1) {
      // Where a proxy makes the connection, only the name can be looked at.
      if (isPrivateHost(url.hostname) && !this.#options.allowsPrivate()) throw this.#refused(url)
      await request.allows?.(url)
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

  #failureOf(url: URL, thrown: unknown): SourceFailure {
    if (thrown instanceof Http1Failure && thrown.cause instanceof AddressForbidden) return this.#refused(url)
    return new SourceFailure(`No complete answer came from ${hostOf(url)}.`, { mayPass: true, cause: thrown })
  }

  #refused(url: URL): SourceFailure {
    return new SourceFailure(
      `${hostOf(url)} has a private address. Such addresses are refused unless the setting ${this.#options.allowedBy} is true.`,
    )
  }
}

function accepted(reply: Reply, url: URL): Reply {
  const { status } = reply
  if (status === 200 || status === multiStatus) return reply
  reply.body.cancel()
  const mayPass = status >= 500 || passing.has(status)
  throw new SourceFailure(`${hostOf(url)} answered with status ${status}.`, { mayPass, status })
}

/** Servers pack what nobody asked them to pack. The reader of the pieces bounds what comes out. */
async function* decoded(body: Reply['body'], encoding: string | undefined, url: URL): AsyncGenerator<Uint8Array, void> {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return yield* piecesOf(body)
  const decoder = decoders[name]?.()
  if (decoder === undefined)
    throw new SourceFailure(`${hostOf(url)} answered in an encoding that was not asked for and is not known.`)
  const broken = feed(body, decoder).catch((thrown: unknown) => void decoder.destroy(thrown as Error))
  try {
    yield* decoder
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_'))
      throw new SourceFailure(`The packed answer of ${hostOf(url)} cannot be unpacked.`)
    throw thrown
  } finally {
    decoder.destroy()
    body.cancel()
    await broken
  }
}

/** At the pace at which it is unpacked. Resolves when the decoder takes no more. */
async function feed(body: Reply['body'], decoder: Gunzip): Promise<void> {
  for await (const piece of piecesOf(body)) {
    if (decoder.destroyed) return
    if (!decoder.write(piece))
      await new Promise<void>((resolve) => decoder.once('drain', resolve).once('close', resolve))
  }
  decoder.end()
}

function hostOf(url: URL): string {
  return url.host
}
