/** A WebSocket of a provider, over the runtime's client, which is paused and resumed so that neither side is flooded. */
import type { Proxy } from '#lib/http1/proxy.ts'
import { SocketRefused, UpstreamFailure, type SocketListener, type UpstreamSocket } from './provider.ts'

export interface SocketTarget {
  /** An address with the scheme ws: or wss:. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly proxy: Proxy | null
  readonly signal: AbortSignal
}

/** How long a provider may take to answer a goodbye. */
const goodbyeMs = 2000

/** Resolves when the WebSocket is open. Rejects as `Provider.connect` does. */
export function openWebSocket(target: SocketTarget, listener: SocketListener): Promise<UpstreamSocket> {
  const { url, headers, proxy, signal } = target
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const socket = new WebSocket(url, {
      headers,
      perMessageDeflate: false,
      ...(proxy && { proxy: proxyOptions(proxy) }),
    })
    socket.binaryType = 'arraybuffer'
    const aborted = (): void => {
      reject(signal.reason as Error)
      socket.terminate()
    }
    signal.addEventListener('abort', aborted, { once: true })
    let failure = ''
    let isOpen = false
    socket.addEventListener('error', ({ message }) => (failure ||= message))
    socket.addEventListener('close', ({ code, reason }) => {
      signal.removeEventListener('abort', aborted)
      if (isOpen) listener.closed(code, reason)
      else reject(openingFailure(failure))
    })
    socket.addEventListener('message', ({ data }) => listener.message(dataOf(data)))
    socket.addEventListener('pong', () => listener.pong())
    socket.addEventListener('open', () => {
      // Nobody waits for it any more.
      if (signal.aborted) return socket.terminate()
      isOpen = true
      signal.removeEventListener('abort', aborted)
      resolve(new ProviderSocket(socket))
    })
  })
}

function proxyOptions({ hostname, port, authorization }: Proxy) {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  const headers = authorization === null ? {} : { 'proxy-authorization': authorization.reveal() }
  return { url: `http://${host}:${port}`, headers }
}

function dataOf(data: unknown): string | Uint8Array {
  return data instanceof ArrayBuffer ? new Uint8Array(data) : String(data)
}

/** The runtime tells the status of a refusal in words only, after the address, which may hold a secret. */
function openingFailure(told: string): Error {
  const message = told.replace(/^.* failed: /s, '')
  const status = Number(/expected 101 status code: (\d{3})/i.exec(message)?.[1] ?? 0)
  if (status !== 0) return new SocketRefused(status)
  const isRefused = /^failed to connect/i.test(message)
  return new UpstreamFailure(isRefused ? 'refused' : 'protocol', new Error(message))
}

class ProviderSocket implements UpstreamSocket {
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(data)
  }

  ping(): void {
    this.#socket.ping()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(code: number, reason: string): void {
    const socket = this.#socket
    if (socket.readyState === WebSocket.CLOSED) return
    // What the provider still sends is of no use; its goodbye is.
    socket.resume()
    socket.close(code, reason)
    const timer = setTimeout(() => socket.terminate(), goodbyeMs)
    timer.unref()
    socket.addEventListener('close', () => clearTimeout(timer), { once: true })
  }
}
