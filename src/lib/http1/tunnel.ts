/**
 * A connection through an HTTP proxy to a server that speaks TLS: CONNECT, then the handshake with the
 * server itself, whose certificate is verified as without a proxy. RFC 9110 section 9.3.6.
 */
import type { Socket, SocketHandler } from 'bun'
import { AnswerParser } from './answer-parser.ts'
import type { Proxy } from './proxy.ts'

export interface TunnelOptions {
  /** The server behind the proxy. */
  readonly hostname: string
  readonly port: number
  readonly tls: Readonly<Bun.TLSOptions>
  readonly headBytesMax: number
  readonly proxy: Proxy
}

/** Hears how the opening of a tunnel ends, and then owns the connection. */
export interface TunnelOwner {
  /** The proxy has been reached; its answer is awaited. */
  reached(socket: Pick<Socket<unknown>, 'terminate'>): void
  failedToOpen(error: unknown): void
}

/** Starts to connect. When the proxy agrees the handlers get the socket, as if it had been opened by them. */
export function openTunnel<Owner extends TunnelOwner>(
  options: TunnelOptions,
  owner: Owner,
  handlers: SocketHandler<Owner>,
): void {
  const { hostname, port } = options.proxy
  const data = new Tunnel(options, owner, handlers)
  Bun.connect<Opening>({ hostname, port, socket: tunnelHandlers, data }).catch((error: unknown) =>
    owner.failedToOpen(error),
  )
}

interface Opening {
  open(socket: Socket<Opening>): void
  receive(socket: Socket<Opening>, bytes: Buffer): void
  fail(error: unknown): void
}

class Tunnel<Owner extends TunnelOwner> implements Opening {
  readonly #options: TunnelOptions
  readonly #owner: Owner
  readonly #handlers: SocketHandler<Owner>
  readonly #answer: AnswerParser
  /** The proxy has answered: from now on the connection is the owner's. */
  #over = false

  constructor(options: TunnelOptions, owner: Owner, handlers: SocketHandler<Owner>) {
    this.#options = options
    this.#owner = owner
    this.#handlers = handlers
    this.#answer = new AnswerParser(options.headBytesMax, true)
  }

  open(socket: Socket<Opening>): void {
    this.#owner.reached(socket)
    socket.write(connectRequest(this.#options))
  }

  /** The bytes of an open tunnel come by here, too, as they are on the wire: they are not for us. */
  receive(socket: Socket<Opening>, bytes: Buffer): void {
    if (this.#over) return
    try {
      this.#answer.push(bytes)
    } catch (malformed) {
      return this.#refuse(socket, malformed)
    }
    const status = this.#answer.head?.status
    if (status === undefined) return
    if (status < 200 || status > 299) return this.#refuse(socket, new Error(`the proxy answered with status ${status}`))
    // Nothing can come before we speak: a server of TLS waits for its client.
    if (this.#answer.excess) return this.#refuse(socket, new Error('the proxy sent more than its answer'))
    this.#over = true
    const { tls, hostname } = this.#options
    socket.upgradeTLS<Owner>({
      data: this.#owner,
      tls: { ...tls, serverName: hostname },
      socket: this.#handlers,
    })
  }

  fail(error: unknown): void {
    if (this.#over) return
    this.#over = true
    this.#owner.failedToOpen(error ?? new Error('the proxy closed the connection'))
  }

  #refuse(socket: Socket<Opening>, error: unknown): void {
    this.fail(error)
    socket.terminate()
  }
}

function connectRequest({ hostname, port, proxy }: TunnelOptions): string {
  const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
  const authorization = proxy.authorization === null ? '' : `proxy-authorization: ${proxy.authorization.reveal()}\r\n`
  return `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`
}

const tunnelHandlers: SocketHandler<Opening> = {
  binaryType: 'buffer',
  open: (socket) => socket.data.open(socket),
  connectError: (socket, error) => socket.data.fail(error),
  data: (socket, bytes) => socket.data.receive(socket, bytes),
  end: (socket) => socket.data.fail(undefined),
  error: (socket, error) => socket.data.fail(error),
  close: (socket, error) => socket.data.fail(error),
}
