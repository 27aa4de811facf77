/**
 * One request and its answer: the promise of the head, then the body at the reader's pace. What
 * arrives unread is kept; beyond a bound the connection is told to pause.
 */
import type { Cancellation } from '../cancellation.ts'
import type { AnswerHead } from './answer-head.ts'
import type { Http1Failure } from './failure.ts'
import type { MakeReply, Reply, ReplyBody, ReplyReader } from './reply.ts'

/** What a call may do to the connection that carries it. */
export interface Carrier {
  pause(): void
  resume(): void
  /** Ends the connection at once, without another word to the call. */
  drop(): void
}

interface Settlers<T> {
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** What a caller makes of how a call ends; none of the two may throw. */
export interface Outcome {
  /** What the promise of the head resolves with. */
  readonly replyOf: MakeReply
  /** What it is rejected with. */
  readonly reasonOf: (reason: unknown) => unknown
}

const unreadBytesMax = 64 * 1024

export class Http1Call implements ReplyBody {
  /** `clock.elapsed()` after which waiting for a connection is over. */
  readonly connectBy: number
  readonly #signal: Cancellation
  readonly #head: Settlers<Reply>
  readonly #outcome: Outcome
  #reader: ReplyReader | null = null
  #carrier: Carrier | null = null
  /** What was read and not asked for yet; most answers come in one read. */
  #next: Uint8Array | null = null
  #later: Uint8Array[] | null = null
  #unreadBytes = 0
  #paused = false
  /** No more bytes will come. */
  #over = false
  /** Set together with `#over` when the answer broke. */
  #broken: { readonly reason: unknown } | null = null

  /** The signal must not be aborted yet. */
  constructor(signal: Cancellation, connectBy: number, head: Settlers<Reply>, outcome: Outcome) {
    this.#signal = signal
    this.connectBy = connectBy
    this.#head = head
    this.#outcome = outcome
    signal.addEventListener('abort', this)
  }

  /** For the connection that takes the call on. */
  carriedBy(carrier: Carrier): void {
    this.#carrier = carrier
  }

  /** For the connection: the head has come. */
  begin(head: AnswerHead): void {
    this.#head.resolve(this.#outcome.replyOf(head, this))
  }

  /** For the connection: bytes of the body have come; the memory is the call's from now on. */
  receive(bytes: Uint8Array): void {
    const reader = this.#takeReader()
    if (reader !== null) return reader.received(bytes)
    if (this.#next === null) this.#next = bytes
    else (this.#later ??= []).push(bytes)
    this.#unreadBytes += bytes.byteLength
  }

  /** For the connection, after it has handed over all it has: too much of it is unread. */
  holdBack(): void {
    if (this.#paused || this.#unreadBytes <= unreadBytesMax) return
    this.#paused = true
    this.#carrier?.pause()
  }

  /** For the connection: the answer is complete. */
  end(): void {
    this.#release()
    this.#takeReader()?.received(null)
  }

  /** For the connection: there will be no complete answer. What came before can still be read. */
  fail(failure: Http1Failure): void {
    this.#break(failure)
  }

  /** For the connection: the body of the request cannot be read. */
  abandon(reason: unknown): void {
    this.#break(reason)
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.#next === null && this.#broken !== null) return Promise.reject(this.#broken.reason as Error)
    const bytes = this.#take()
    if (bytes !== undefined) return bytes
    return new Promise((received, failed) => (this.#reader = { received, failed }))
  }

  readTo(reader: ReplyReader): Uint8Array | null | undefined {
    if (this.#next === null && this.#broken !== null) {
      reader.failed(this.#broken.reason)
      return undefined
    }
    const bytes = this.#take()
    if (bytes === undefined) this.#reader = reader
    return bytes
  }

  /** What has been read already, or null at the end; undefined when there is nothing yet. */
  #take(): Uint8Array | null | undefined {
    const bytes = this.#next
    if (bytes !== null) {
      this.#next = this.#later?.shift() ?? null
      this.#unreadBytes -= bytes.byteLength
      if (this.#paused && this.#unreadBytes === 0) {
        this.#paused = false
        this.#carrier?.resume()
      }
      return bytes
    }
    return this.#over ? null : undefined
  }

  cancel(): void {
    this.#forget()
    if (this.#over) return
    this.#carrier?.drop()
    this.end()
  }

  /** The signal's listener: an object with this method costs no closure. */
  handleEvent(): void {
    if (this.#over) return
    this.#forget()
    this.#carrier?.drop()
    this.#break(this.#signal.reason)
  }

  #forget(): void {
    this.#next = null
    this.#later = null
    this.#unreadBytes = 0
  }

  #break(reason: unknown): void {
    if (this.#over) return
    this.#broken = { reason }
    this.#release()
    // Settles at most one of the two: a reader exists only after the head.
    this.#head.reject(this.#outcome.reasonOf(reason))
    this.#takeReader()?.failed(reason)
  }

  /** A reader is called once, and may ask again at once. */
  #takeReader(): ReplyReader | null {
    const reader = this.#reader
    this.#reader = null
    return reader
  }

  #release(): void {
    this.#over = true
    this.#carrier = null
    this.#signal.removeEventListener('abort', this)
  }
}
