/**
 * One HTTP request as the handlers see it. Handlers never touch the server: what they need from it
 * is here. A context lives from the first header to the last byte of the answer.
 */
import type { Clock } from '#lib/clock.ts'
import type { SocketHandler } from './web-socket.ts'

export interface RequestContext {
  readonly request: Request
  /** The caller's own `x-request-id` when it is valid, else a new one; echoed on the answer. */
  readonly requestId: string
  /** Path without query, still percent-encoded. */
  readonly path: string
  /** Decoded values of the route's `:name` parts; `*` holds the rest of the path, slashes included. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The body, where all of it is there before the request is; `request` has none then. */
  readonly body?: Buffer<ArrayBuffer>
  /** The route's own limit of the body, if it has one. Whatever reads the body keeps to it. */
  readonly bodyBytesMax?: number | undefined
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** `clock.elapsed()` when the request was taken. */
  readonly startedAt: number
  readonly clock: Clock
  /** Address of the client, also behind trusted proxies; the empty string on the control socket. */
  readonly remoteAddress: string
  /** True on the control socket, which only the server's own user can open. */
  readonly trusted: boolean
  /**
   * An answer with the headers that every answer carries. Handlers that answer often make their
   * responses here; on all others the server sets the headers afterwards, which costs more.
   */
  respond(
    body: Bun.BodyInit | null,
    init: { readonly status: number; readonly headers: Record<string, string> },
  ): Response
  /** Adds a header to the answer, also to one that the server makes. */
  addHeader(name: string, value: string): void
  /** The request goes on as a WebSocket; what is returned is to be the handler's answer. Answers 426 by throwing. */
  upgrade(handler: SocketHandler, headers: Readonly<Record<string, string>>): Response
  /** Lifts the server's idle timer: called once the caller is authenticated. */
  liftIdleTimeout(): void
  /** Sets it to the time that the connection waits for its next request. The end of a streamed answer calls it. */
  restoreIdleTimeout(): void
}
