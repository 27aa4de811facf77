/**
 * A stretch of network between a program and a server on this machine, which a test can let fall
 * silent: bytes then go nowhere, new connections are taken and stay silent, and nobody is told.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface NetworkLine extends AsyncDisposable {
  readonly port: number
  /** What is sent from now on, in either direction, waits. */
  silence(): void
  /** What was held back goes on its way. */
  restore(): void
  /** Breaks every connection, as a router that restarts does. */
  breakAll(): void
}

/** @param port of this end; any free one when left out */
export async function openLine(
  target: { readonly host: string; readonly port: number },
  port = 0,
): Promise<NetworkLine> {
  const sockets = new Set<Socket>()
  let silent = false
  const forget = (socket: Socket, other: Socket): void => {
    sockets.delete(socket)
    other.destroy()
  }
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (bytes) => void to.write(bytes))
    from.on('error', () => from.destroy())
    from.on('close', () => forget(from, to))
    if (silent) from.pause()
  }
  const server = createServer((near) => {
    const far = connect(target)
    join(near, far)
    join(far, near)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      silent = true
      for (const socket of sockets) socket.pause()
    },
    restore() {
      silent = false
      for (const socket of sockets) socket.resume()
    },
    breakAll,
    async [Symbol.asyncDispose]() {
      breakAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
