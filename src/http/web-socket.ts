/**
 * A WebSocket that a request has become. The server loop holds the socket; what is done with it is the handler's.
 * Protocol: RFC 6455.
 */

/** The client's end. Nothing is done once it is closed. */
export interface ClientSocket {
  /** Bytes that wait for the client to read them. */
  readonly bufferedBytes: number
  send(data: string | Uint8Array): void
  /** Stops reading, so that the client is slowed down; what has been read already still arrives. */
  pause(): void
  resume(): void
  /** Sends what waits, then says goodbye. `SocketHandler.closed` follows. */
  close(code: number, reason: string): void
  /** Breaks the connection. */
  terminate(): void
}

/** What happens at the client's end. `opened` comes first and `closed` last, each once. */
export interface SocketHandler {
  opened(socket: ClientSocket): void
  message(data: string | Uint8Array): void
  /** The client has read some of what waited. */
  drained(): void
  closed(code: number, reason: string): void
  /** The server is about to stop: the handler closes the socket as soon as nothing is lost by it. */
  leave(): void
}

export interface SocketLimits {
  readonly messageBytesMax: number
  /** A client that has not been heard of for this long, not even as an answer to a ping, is gone. At most 960. */
  readonly idleSeconds: number
}

/** Tells the server loop that the request has no answer any more. */
export const upgraded = new Response(null)

/** The client's end over the runtime's socket. */
class ServerSocket implements ClientSocket {
  readonly #socket: Bun.ServerWebSocket<SocketHandler>

  constructor(socket: Bun.ServerWebSocket<SocketHandler>) {
    this.#socket = socket
  }

  get bufferedBytes(): number {
    return this.#socket.getBufferedAmount()
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(data)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

/** The runtime's handlers; `open` holds every handler whose socket is open. */
export function socketHandlers(open: Set<SocketHandler>, { messageBytesMax, idleSeconds }: SocketLimits) {
  return {
    maxPayloadLength: messageBytesMax,
    // Handlers bound what waits. One message more than they allow must still fit.
    backpressureLimit: 0xff_ff_ff_ff,
    idleTimeout: idleSeconds,
    sendPings: true,
    perMessageDeflate: false,
    open: (socket: Bun.ServerWebSocket<SocketHandler>) => {
      open.add(socket.data)
      socket.data.opened(new ServerSocket(socket))
    },
    message: ({ data }: Bun.ServerWebSocket<SocketHandler>, message: string | Buffer) => data.message(message),
    drain: ({ data }: Bun.ServerWebSocket<SocketHandler>) => data.drained(),
    close: ({ data }: Bun.ServerWebSocket<SocketHandler>, code: number, reason: string) => {
      open.delete(data)
      data.closed(code, reason)
    },
  }
}
