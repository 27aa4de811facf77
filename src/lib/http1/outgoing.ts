/** The part of a request that its socket has not taken yet. */
import type { Socket } from 'bun'
import type { BodyStream, EncodedRequest } from './request.ts'

// A socket copies or refuses what it is given before it returns, so one buffer serves all small
// requests; making one for each costs as much as checking the whole head.
const shared = Buffer.allocUnsafeSlow(64 * 1024)
const lineEnd = Buffer.from('\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** Takes bytes and says how many, none when it is full; a negative number when it takes no more at all. */
type Sink = Pick<Socket<unknown>, 'write'>

export class Outgoing {
  readonly #onBodyFailure: (reason: unknown) => void
  #parts: readonly Uint8Array[] = []
  /** How far the socket has taken them: whole parts, and bytes of the next. */
  #partsSent = 0
  #bytesSent = 0
  /** What is still to be read and sent after the parts. */
  #stream: BodyStream | null = null
  /** Bytes still to come, for a stream of known length. */
  #streamLeft = 0
  #reading = false
  #stopped = false

  /** @param onBodyFailure called once, with the reason why a streamed body cannot be sent completely */
  constructor(onBodyFailure: (reason: unknown) => void) {
    this.#onBodyFailure = onBodyFailure
  }

  /** The socket has taken everything. */
  get done(): boolean {
    return this.#parts.length === 0 && this.#stream === null && !this.#stopped
  }

  /** Begins a request. The body must not change until it is done. */
  begin(socket: Sink, { head, body, stream }: EncodedRequest): void {
    this.#stream = stream
    this.#streamLeft = stream?.length ?? 0
    const length = head.length + (body?.byteLength ?? 0)
    if (length <= shared.length) {
      shared.write(head, 0, 'latin1')
      if (body !== null) shared.set(body, head.length)
      const taken = Math.max(socket.write(shared, 0, length), 0)
      this.#parts = taken < length ? [Buffer.from(shared.subarray(taken, length))] : []
    } else {
      this.#parts = body === null ? [Buffer.from(head, 'latin1')] : [Buffer.from(head, 'latin1'), body]
    }
    this.#partsSent = 0
    this.#bytesSent = 0
    this.flush(socket)
  }

  /** Writes on, until all is sent or the socket has no room. */
  flush(socket: Sink): void {
    for (let part = this.#parts[this.#partsSent]; part !== undefined; part = this.#parts[this.#partsSent]) {
      const left = part.byteLength - this.#bytesSent
      const taken = socket.write(part, this.#bytesSent, left)
      if (taken < left) {
        // A negative count means that the connection is ending; an answer may still be on its way in.
        this.#bytesSent += Math.max(taken, 0)
        return
      }
      this.#partsSent += 1
      this.#bytesSent = 0
    }
    this.#parts = []
    if (this.#stream !== null && !this.#reading) void this.#readOn(socket, this.#stream)
  }

  /** Gives up what a streamed body still has; without one it does nothing. The connection is of no more use then. */
  stop(): void {
    if (this.#stream === null) return
    this.#stream = null
    this.#stopped = true
  }

  /** One piece at a time: the next is read when the socket has taken this one. */
  async #readOn(socket: Sink, stream: BodyStream): Promise<void> {
    this.#reading = true
    try {
      const bytes = await stream.read()
      if (this.#stream !== stream) return
      this.#parts = stream.length === null ? chunkOf(bytes) : this.#counted(bytes)
      this.#partsSent = 0
      if (bytes === null) this.#stream = null
    } catch (reason) {
      if (this.#stream !== stream) return
      this.stop()
      this.#onBodyFailure(reason)
    } finally {
      this.#reading = false
    }
    this.flush(socket)
  }

  /** A body that is not as long as its head says would be read as part of the next request. */
  #counted(bytes: Uint8Array | null): readonly Uint8Array[] {
    this.#streamLeft -= bytes?.byteLength ?? 0
    if (this.#streamLeft < 0 || (bytes === null && this.#streamLeft > 0))
      throw new TypeError('the body is not as long as it was said to be')
    return bytes === null ? [] : [bytes]
  }
}

/** RFC 9112 section 7.1. An empty chunk would be the last. */
function chunkOf(bytes: Uint8Array | null): readonly Uint8Array[] {
  if (bytes === null) return [lastChunk]
  return bytes.byteLength === 0 ? [] : [Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, lineEnd]
}
