/** A provider that takes an upload of any size without keeping it, at the pace and to the end that a test wants. */
import { createHash } from 'node:crypto'
import { createServer, type AddressInfo, type Socket } from 'node:net'

export interface UploadSink extends AsyncDisposable {
  /** Base URL as a provider record has it. */
  readonly url: string
  /** The uploads so far, one for each connection. */
  readonly uploads: readonly ReceivedUpload[]
  /** New connections are not read from until `resume`. */
  pauseAll(): void
}

export class ReceivedUpload {
  head = ''
  /** Bytes of the body, framing included. */
  bodyBytes = 0
  readonly #sha256 = createHash('sha256')
  readonly #socket: Socket
  #tail = Buffer.alloc(0)
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>

  constructor(socket: Socket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.on('error', () => resolve()).on('close', () => resolve()))
  }

  get sha256(): string {
    return this.#sha256.copy().digest('hex')
  }

  /** The last bytes of the body. */
  get tail(): string {
    return this.#tail.toString('latin1')
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Sends a whole answer. */
  answer(status: number, body: string): void {
    const head = `HTTP/1.1 ${status} Answer\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    this.#socket.write(`${head}\r\n\r\n${body}`)
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** For the sink: bytes have come. */
  take(bytes: Buffer): void {
    let body = bytes
    if (!this.head.includes('\r\n\r\n')) {
      const all = this.head + bytes.toString('latin1')
      const end = all.indexOf('\r\n\r\n')
      this.head = end < 0 ? all : all.slice(0, end + 4)
      body = end < 0 ? Buffer.alloc(0) : Buffer.from(all.slice(end + 4), 'latin1')
    }
    this.bodyBytes += body.length
    this.#sha256.update(body)
    this.#tail = Buffer.from(Buffer.concat([this.#tail, body.subarray(-64)]).subarray(-64))
  }
}

export async function startUploadSink(): Promise<UploadSink> {
  const uploads: ReceivedUpload[] = []
  const sockets = new Set<Socket>()
  let paused = false
  const server = createServer((socket) => {
    const upload = new ReceivedUpload(socket)
    uploads.push(upload)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes: Buffer) => upload.take(bytes))
    if (paused) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    uploads,
    pauseAll: () => void (paused = true),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
