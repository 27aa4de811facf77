/** The part of a request that its socket has not taken yet. */
import type { Socket } from 'bun'
import type { EncodedRequest } from './request.ts'

// A socket copies or refuses what it is given before it returns, so one buffer serves all small
// requests; making one for each costs as much as checking the whole head.
const shared = Buffer.allocUnsafeSlow(64 * 1024)

/** Takes bytes and says how many, none when it is full; a negative number when it takes no more at all. */
type Sink = Pick<Socket<unknown>, 'write'>

export class Outgoing {
  #parts: readonly Uint8Array[] = []
  /** How far the socket has taken them: whole parts, and bytes of the next. */
  #partsSent = 0
  #bytesSent = 0

  /** The socket has taken everything. */
  get done(): boolean {
    return this.#parts.length === 0
  }

  /** Begins a request. The body must not change until it is done. */
  begin(socket: Sink, { head, body }: EncodedRequest): void {
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
  }
}
