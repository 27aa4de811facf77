/** Requests to a reader on another server: with its credential, without redirects, and what a status means. */
import { AnySignal } from '#lib/any-signal.ts'
import type { Http1Client } from '#lib/http1/client.ts'
import { Http1Failure } from '#lib/http1/failure.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { BodyStream } from '#lib/http1/request.ts'

/** The reader did not take this file: another reader may. */
export class ReaderRefused extends Error {
  override readonly name = 'ReaderRefused'
}

/** The reader cannot be used now, whatever the file is. */
export class ReaderAway extends Error {
  override readonly name = 'ReaderAway'
  /** Whether the next files had better not wait for it. */
  readonly isDown: boolean

  constructor(message: string, { isDown, cause }: { readonly isDown: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.isDown = isDown
  }
}

export interface ReaderRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Below the reader's address. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: BodyStream | null
}

export interface CallOptions {
  readonly client: Http1Client
  readonly url: string
  /** Longest time for all requests of a call together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const connectTimeoutMs = 10_000
const downStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** The requests about one file. */
export class ReaderCall implements Disposable {
  readonly #options: CallOptions
  readonly #timeout: AbortSignal
  readonly #either: AnySignal

  constructor(options: CallOptions) {
    this.#options = options
    this.#timeout = AbortSignal.timeout(options.timeoutMs)
    this.#either = new AnySignal([options.signal, this.#timeout])
  }

  /** Aborted when the time is over, and when nobody waits for the call any more. */
  get signal(): AbortSignal {
    return this.#either.signal
  }

  /** An answer with a content. Rejects with ReaderRefused and ReaderAway, and with the reason of the caller's signal. */
  async request({ method, path, headers, body }: ReaderRequest): Promise<Reply> {
    const { client, url } = this.#options
    const target = new URL(url + path)
    const sent = {
      method,
      path: target.pathname + target.search,
      headers: { 'user-agent': 'Sluice', 'accept-encoding': 'identity', ...headers },
      body,
      signal: this.signal,
      // A file cannot be sent twice, and a kept connection may be gone.
      reuseConnection: false,
      connectTimeoutMs,
    }
    return accepted(await client.request(client.origin(target.href), sent))
  }

  /** What a failure of the call means. */
  failureOf(thrown: unknown): unknown {
    const { signal, timeoutMs } = this.#options
    if (signal.aborted) return signal.reason
    if (this.#timeout.aborted)
      return new ReaderAway(`did not answer within ${timeoutMs / 1000} seconds`, { isDown: true, cause: thrown })
    if (thrown instanceof Http1Failure)
      return new ReaderAway('gave no complete answer', { isDown: true, cause: thrown })
    return thrown
  }

  [Symbol.dispose](): void {
    this.#either[Symbol.dispose]()
  }
}

function accepted(reply: Reply): Reply {
  const { status, body } = reply
  if (status === 200) return reply
  body.cancel()
  if (status === 204) throw new ReaderRefused('found no content in it')
  if (status === 401 || status === 403) throw new ReaderAway('refused the credential', { isDown: false })
  // Also a redirect, which would take the file elsewhere.
  if (status === 404 || status === 405 || status < 400)
    throw new ReaderAway(`is not at this address (status ${status})`, { isDown: false })
  if (status === 429) throw new ReaderAway('had too many requests', { isDown: false })
  if (downStatuses.has(status)) throw new ReaderAway(`answered with status ${status}`, { isDown: true })
  throw new ReaderRefused(`answered with status ${status}`)
}
