/** An HTTP client that does only what a test tells it: bytes out, bytes in, at any pace, and away. */
import { connect, type Socket } from 'node:net'
import { until } from '../until.ts'

export class RawClient implements Disposable {
  readonly #socket: Socket
  readonly #parts: Buffer[] = []
  readonly #keep: boolean
  #bytesReceived = 0
  #isClosed = false
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>

  /** @param keep false counts what comes and drops it */
  constructor(port: number, keep = true) {
    this.#keep = keep
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (bytes: Buffer) => {
      this.#bytesReceived += bytes.length
      if (this.#keep) this.#parts.push(bytes)
    })
    this.closed = new Promise((resolve) => {
      const end = (): void => {
        this.#isClosed = true
        resolve()
      }
      this.#socket.on('error', end).on('end', end).on('close', end)
    })
  }

  get bytesReceived(): number {
    return this.#bytesReceived
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Everything received so far. */
  get text(): string {
    return Buffer.concat(this.#parts).toString('utf8')
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes)
  }

  /** Writes, and resolves when the kernel has taken it or the connection is gone. */
  async writeAll(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed || this.#socket.write(bytes)) return
    const drained = new Promise<void>((resolve) => this.#socket.once('drain', () => resolve()))
    await Promise.race([drained, this.closed])
  }

  /** Resolves when what has come contains the text; throws when the connection ends without. */
  async untilText(text: string, times = 1): Promise<void> {
    await until(() => this.text.split(text).length > times || this.#isClosed)
    if (this.text.split(text).length <= times) throw new Error(`the connection ended without ${JSON.stringify(text)}`)
  }

  /** Stops reading: what comes fills the kernel's buffers and then holds the sender. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Goes away without a word. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}

export interface RawRequest {
  readonly path?: string
  readonly method?: string
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A whole request as bytes, its length declared unless a header says otherwise. */
export function rawRequest(request: RawRequest): string {
  const { path = '/ai/v1/chat/completions', method = 'POST', key, headers = {}, body = '' } = request
  const framed = Object.keys(headers).some((name) => /^(content-length|transfer-encoding)$/i.test(name))
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: gateway.test',
    `Authorization: Bearer ${key}`,
    ...(framed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
