/**
 * An HTTP/1.1 client for calls that must be cheap and exact: it keeps connections, bounds what it
 * holds of an answer, and says of every failure what is known about it. It follows no redirects,
 * decodes no content-encoding, and has no time-out but the one for connecting: the signal ends a call.
 */
import type { Clock } from '../clock.ts'
import type { Ticker } from '../ticker.ts'
import { Http1Call, type Outcome } from './call.ts'
import { Pool } from './pool.ts'
import type { Proxy, ProxyFor } from './proxy.ts'
import { replyAsSent, type Reply } from './reply.ts'
import { encodeRequest, type ForwardedTo, type Http1Request } from './request.ts'

export interface Http1ClientOptions {
  readonly clock: Clock
  /** Drives the expiry of idle connections and the connect time-out. */
  readonly ticker: Ticker
  /** How long an unused connection is kept. */
  readonly idleMs?: number
  readonly idleMaxPerOrigin?: number
  /** Bound on the head of an answer, interim answers included. */
  readonly headBytesMax?: number
  /** The proxy by which an origin is reached; none when left out. */
  readonly proxyFor?: ProxyFor
  /**
   * Whether a request may go to this IP address; to any when left out. Asked of each connection without a proxy once it
   * is open, so that no answer of a name server comes between the question and the request.
   */
  readonly mayReach?: (address: string) => boolean
}

/** What an origin may have beyond its URL. */
export interface OriginOptions {
  /** Certificates of the authorities to trust, as PEM; certificates and host names are always verified. */
  readonly ca?: string
  /** The address to connect to, in place of what the host's name leads to; a proxy is told the name. */
  readonly ip?: string | null
}

/** A server to call; made once by `client.origin` and then used for many calls. */
export interface Origin {
  /** Value of the `host` header. */
  readonly host: string
  readonly pool: Pool
  /** How requests for it are written to a proxy that passes them on; null when they go to itself. */
  readonly forwarded: ForwardedTo | null
}

export class Http1Client implements Disposable {
  readonly #options: Required<Http1ClientOptions>
  readonly #origins = new Map<string, Origin>()
  #closed = false

  constructor(options: Http1ClientOptions) {
    this.#options = {
      idleMs: 60_000,
      idleMaxPerOrigin: 1024,
      headBytesMax: 64 * 1024,
      proxyFor: () => null,
      mayReach: () => true,
      ...options,
    }
    options.ticker.add(this.#expire)
  }

  /** The origin of an http: or https: URL, whose path does not matter. Equal ones share connections. Throws a TypeError for other URLs. */
  origin(url: string, options: OriginOptions = {}): Origin {
    const server = new URL(url)
    if (!/^https?:$/.test(server.protocol)) throw new TypeError('the URL is neither http: nor https:')
    const key = `${server.protocol}//${server.host} ${options.ip ?? ''} ${options.ca ?? ''}`
    let origin = this.#origins.get(key)
    if (origin === undefined) {
      origin = this.#makeOrigin(server, options)
      this.#origins.set(key, origin)
    }
    return origin
  }

  /** The proxy on the way to a URL, for what does not go through this client; null for none. */
  proxyFor(url: URL): Proxy | null {
    return this.#options.proxyFor(url)
  }

  #makeOrigin(server: URL, { ip = null, ca }: OriginOptions): Origin {
    const { host, protocol } = server
    const proxy = this.#options.proxyFor(server)
    const { headBytesMax, mayReach } = this.#options
    // A proxy is the operator's choice, and decides itself what it reaches.
    const reach = { headBytesMax, mayReach: proxy === null ? mayReach : () => true }
    if (protocol === 'https:') {
      const named = addressOf(server)
      const tls = { rejectUnauthorized: true, ...(ca !== undefined && { ca }) }
      // The name is what the certificate has to prove.
      const own =
        ip === null || proxy !== null
          ? { ...named, tls }
          : { ...named, hostname: ip, tls: { ...tls, serverName: named.hostname } }
      const address = { ...own, ...reach, tunnel: proxy }
      return { host, pool: new Pool(address, this.#options), forwarded: null }
    }
    const { hostname, port } = proxy ?? { ...addressOf(server), ...(ip !== null && { hostname: ip }) }
    const address = { hostname, port, tls: null, ...reach, tunnel: null }
    const forwarded = proxy && { base: `http://${host}`, authorization: proxy.authorization }
    return { host, pool: new Pool(address, this.#options), forwarded }
  }

  /**
   * Resolves with the head of the answer; its body is read, or cancelled, by the caller. Rejects
   * with an Http1Failure, with the signal's reason, or with a TypeError when the request has a
   * character that HTTP does not allow, in which case nothing was sent.
   * @param outcome makes the caller's own of what it settles with; another promise for that would cost more
   */
  request(origin: Origin, request: Http1Request, outcome: Outcome = asItIs): Promise<Reply> {
    const head = Promise.withResolvers<Reply>()
    try {
      const { signal, connectTimeoutMs } = request
      signal.throwIfAborted()
      if (this.#closed) throw new TypeError('the client has been closed')
      const encoded = encodeRequest(request, origin)
      const connectBy = connectTimeoutMs === undefined ? Infinity : this.#options.clock.elapsed() + connectTimeoutMs
      const call = new Http1Call(signal, connectBy, head, outcome)
      origin.pool.carry({ call, request: encoded, bodiless: request.method === 'HEAD' }, request.reuseConnection)
    } catch (thrown) {
      head.reject(outcome.reasonOf(thrown))
    }
    return head.promise
  }

  /** Ends every call and connection. May be called more than once. */
  close(): void {
    this.#closed = true
    this.#options.ticker.delete(this.#expire)
    for (const { pool } of this.#origins.values()) pool.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  readonly #expire = (): void => {
    for (const { pool } of this.#origins.values()) pool.expire()
  }
}

const asItIs: Outcome = { replyOf: replyAsSent, reasonOf: (reason) => reason }

function addressOf({ hostname, port, protocol }: URL): { readonly hostname: string; readonly port: number } {
  const usualPort = protocol === 'https:' ? 443 : 80
  return {
    // Bun takes IPv6 addresses without their brackets.
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? usualPort : Number(port),
  }
}
