/**
 * Relays an answer piece by piece, at the pace of the client: the upstream is read only when the
 * client has room, so a slow reader costs no memory. The pieces are server-sent events, or bytes of
 * any kind for relay-bytes.ts.
 *
 * The answer's head waits for the first event, so that a failure before it has its real status.
 * If the upstream stays silent the head goes out with a comment, and later failures go in-band.
 */
import { ApiError, toApiError } from '#errors/api-error.ts'
import { errorEvent } from '#errors/render.ts'
import { eventStreamHeaders } from '#http/event-stream.ts'
import { finishReading } from '#lib/http1/finish-reading.ts'
import { readTo, type Reply, type ReplyBody, type ReplyReader } from '#lib/http1/reply.ts'
import { headersForClient } from '../call/headers.ts'
import type { Relay } from './relay.ts'
import { StreamTap } from './stream-tap.ts'

const oversizedMessage = 'The model provider sent an event that is larger than this gateway allows.'
const keepalive = new TextEncoder().encode(': keep-alive\n\n')

/** Reads along, and may change the pieces on their way: see StreamTap. */
export interface Tap
  extends
    Pick<StreamTap, 'usage' | 'started' | 'done' | 'complete' | 'upstreamError' | 'oversized' | 'push' | 'end'>,
    Partial<Pick<StreamTap, 'failure'>> {
  /** The piece that was let through has to wait for this; never rejects. */
  readonly pendingWrite?: Promise<void> | null
}

export interface StreamOptions {
  /** See StreamTap. */
  readonly lastTypes?: ReadonlySet<string>
  /** The error that ends the answer in-band, in the client's wire format; OpenAI's when left out. */
  readonly failureEvent?: (error: ApiError) => Uint8Array
  /** Wraps the tap of the events, to read or change what it lets through. */
  readonly wrapTap?: (events: StreamTap) => Tap
}

/** The streamed answer for the client. Throws what goes wrong before the first event. */
export async function relayStream(
  reply: Reply,
  relay: Relay,
  { lastTypes, failureEvent = errorEvent, wrapTap }: StreamOptions = {},
): Promise<Response> {
  relay.record.streamed = true
  const headers = headersForClient(reply.headers, relay.responseHeaders)
  Object.assign(headers, eventStreamHeaders)
  const events = new StreamTap(relay, lastTypes)
  return relayPieces({ ...reply, headers }, relay, { tap: wrapTap?.(events) ?? events, inBand: true, failureEvent })
}

export interface PieceOptions extends Pick<StreamOptions, 'failureEvent'> {
  readonly tap: Tap
  /** Events can be added: keep-alives, and an error that ends the answer. Else a failure breaks the connection. */
  readonly inBand: boolean
}

/** The answer with these headers as they are, and the body as the tap lets it through. Throws what goes wrong before the first piece. */
export async function relayPieces(reply: Reply, relay: Relay, options: PieceOptions): Promise<Response> {
  const stream = new RelayedStream(reply.body, relay, options)
  await stream.open()
  // Only now: what is thrown above ends the request while the handler still owns its resources.
  stream.takeOver(relay.takeOver())
  return relay.context.respond(stream.body, { status: reply.status, headers: { ...reply.headers } })
}

/** Where the runtime takes the bytes of an answer from: its direct stream (https://bun.com/docs/runtime/streams). */
interface Sink {
  /** The bytes taken, or a promise for when there is room again: these bytes are kept, and no more should come. */
  write(bytes: Uint8Array): number | Promise<number>
  flush(): unknown
  /** The end of the body; with an error the connection breaks. */
  close(error?: Error): void
}

interface Piece {
  readonly bytes: Uint8Array
  /** The answer is complete with these bytes. */
  readonly last: boolean
}

/**
 * A platform's stream makes promises for every event and is asked again for each. This body is written when
 * bytes come, which the runtime calls a direct stream, and costs none of that.
 */
class RelayedStream implements ReplyReader {
  readonly body: ReadableStream<Uint8Array>
  readonly #relay: Relay
  readonly #tap: Tap
  readonly #inBand: boolean
  readonly #failureEvent: (error: ApiError) => Uint8Array
  readonly #upstream: ReplyBody
  /** Null until the runtime has sent the head. */
  #sink: Sink | null = null
  /** Settles with the body: the runtime waits for it. */
  readonly #closed = Promise.withResolvers<void>()
  /** The piece that `open` reads ahead; later pieces are read when the client has room for them. */
  #first: Promise<Piece> | null = null
  #sentAt: number
  /** The client has room and the upstream has not answered yet. */
  #waiting = false
  #ended = false
  /** What ended the answer. */
  #failure: ApiError | null = null
  #resources: DisposableStack | null = null

  constructor(upstream: ReplyBody, relay: Relay, { tap, inBand, failureEvent = errorEvent }: PieceOptions) {
    this.#relay = relay
    this.#tap = tap
    this.#inBand = inBand
    this.#failureEvent = failureEvent
    this.#upstream = upstream
    this.#sentAt = relay.context.clock.elapsed()
    const source: Bun.DirectUnderlyingSource<Uint8Array> = {
      type: 'direct',
      pull: (sink) => this.#start(sink),
      cancel: () => this.#clientGone(),
    }
    this.body = new ReadableStream(source)
  }

  /** Resolves when the first event has come or the upstream has been silent for a while; throws if it fails before. */
  async open(): Promise<void> {
    this.#first = this.#readFirst()
    // Marked as handled: when silence wins the race, the first pull finds the error again.
    this.#first.catch(() => {})
    if (!this.#inBand) return void (await this.#first)
    const silence = Promise.withResolvers<void>()
    const timer = setTimeout(silence.resolve, this.#relay.keepaliveSeconds * 1000)
    try {
      await Promise.race([this.#first, silence.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The stream owns the resources of the request from now on, and disposes them when the body ends or is dropped. */
  takeOver(resources: DisposableStack): void {
    this.#resources = resources
    const { ticker } = this.#relay
    if (this.#inBand) {
      ticker.add(this.#keepAlive)
      resources.defer(() => ticker.delete(this.#keepAlive))
    }
    const { watch } = this.#relay
    watch.addEventListener('abort', this.#callEnded)
    resources.defer(() => watch.removeEventListener('abort', this.#callEnded))
    if (watch.aborted) this.#callEnded()
  }

  /** While nothing is read from the upstream no read can fail, so the end of the call is noticed here. */
  readonly #callEnded = (): void => {
    const { reason } = this.#relay.watch
    if (!this.#waiting && reason !== null) this.#fail(reason)
  }

  /** The head is out, and the client has room. */
  #start(sink: Sink): Promise<void> {
    this.#sink = sink
    if (this.#ended) this.#close()
    else {
      this.#waiting = true
      void this.#first?.then(this.#deliver, this.#onFailure)
      this.#first = null
    }
    return this.#closed.promise
  }

  /** Sends what the upstream has sent, until it or the client has to be waited for. Makes no promise. */
  readonly #readOn = (): void => {
    try {
      while (!this.#ended) {
        this.#checkTap()
        this.#waiting = true
        this.#relay.watch.expect('idle', this.#relay.idleSeconds)
        const bytes = readTo(this.#upstream, this)
        if (bytes === undefined) return
        const piece = this.#pieceOf(bytes)
        if (piece !== null && !this.#sendPiece(piece)) return
      }
    } catch (thrown) {
      this.#onFailure(thrown)
    }
  }

  /** For the upstream's body: the bytes that it did not have yet. */
  received(bytes: Uint8Array | null): void {
    if (this.#ended) return
    try {
      const piece = this.#pieceOf(bytes)
      if (piece === null || this.#sendPiece(piece)) this.#readOn()
    } catch (thrown) {
      this.#onFailure(thrown)
    }
  }

  /** For the upstream's body: reading it has failed. */
  failed(reason: unknown): void {
    this.#onFailure(this.#readError(reason))
  }

  readonly #deliver = (piece: Piece): void => {
    if (this.#sendPiece(piece)) this.#readOn()
  }

  /** Whether more can be sent at once; else it goes on by itself, or the answer is over. */
  #sendPiece(piece: Piece): boolean {
    const pendingWrite = this.#tap.pendingWrite ?? null
    if (pendingWrite === null) return this.#emit(piece)
    void pendingWrite.then(() => {
      if (this.#emit(piece)) this.#readOn()
    })
    return false
  }

  #emit(piece: Piece): boolean {
    this.#waiting = false
    if (this.#ended) return false
    const room = piece.bytes.byteLength > 0 ? this.#send(piece.bytes) : 0
    if (piece.last) {
      this.#end()
      return false
    }
    if (!(room instanceof Promise)) return true
    void room.then(this.#readOn, this.#readOn)
    return false
  }

  readonly #onFailure = (thrown: unknown): void => {
    this.#waiting = false
    this.#fail(toApiError(thrown))
  }

  /** The first piece. Throws an ApiError when there will be none; until it comes the time-out for the first token runs on. */
  async #readFirst(): Promise<Piece> {
    for (;;) {
      this.#checkTap()
      const bytes = await Promise.resolve(this.#upstream.read()).catch((thrown: unknown) => {
        throw this.#readError(thrown)
      })
      const piece = this.#pieceOf(bytes)
      if (piece !== null) return piece
    }
  }

  /** Throws what the tap has found. Called before more is read: it may have come behind events that were still to be sent. */
  #checkTap(): void {
    if (this.#tap.upstreamError !== null) throw this.#interrupted()
    if (this.#tap.oversized) throw new ApiError('upstream_invalid_response', { message: oversizedMessage })
  }

  /** What the client gets for these bytes of the upstream, or for its end; null for nothing yet. */
  #pieceOf(bytes: Uint8Array | null): Piece | null {
    if (bytes === null) return { bytes: this.#rest(), last: true }
    const passed = this.#tap.push(bytes)
    if (passed === null && !this.#tap.done) return null
    this.#relay.record.firstToken()
    this.#relay.watch.rest()
    return { bytes: passed ?? new Uint8Array(), last: this.#tap.done }
  }

  #readError(thrown: unknown): ApiError {
    return this.#relay.watch.reason ?? new ApiError('upstream_stream_error', { cause: thrown })
  }

  /** The bytes that are still to be sent when the upstream has closed its body. */
  #rest(): Uint8Array {
    const rest = this.#tap.end()
    if (rest === null) throw this.#interrupted()
    return rest
  }

  #interrupted(): ApiError {
    const message = this.#tap.upstreamError?.message
    return new ApiError('upstream_stream_error', {
      message: message ? `The model provider broke off: ${message}` : undefined,
    })
  }

  readonly #keepAlive = (): void => {
    if (this.#waiting && this.#relay.context.clock.elapsed() - this.#sentAt >= this.#relay.keepaliveSeconds * 1000)
      this.#send(keepalive)
  }

  /** A promise when the client has no room for more. */
  #send(bytes: Uint8Array): unknown {
    this.#relay.record.responseBytes += bytes.byteLength
    this.#relay.record.content?.answer(bytes)
    this.#sentAt = this.#relay.context.clock.elapsed()
    const room = this.#sink?.write(bytes)
    const flushed = this.#sink?.flush()
    return room instanceof Promise ? room : flushed
  }

  /** The whole answer has gone out. */
  #end(): void {
    this.#recordFailure()
    this.#release()
    this.#close()
    // The upstream ends its body right after its last event: its connection can be used again.
    void finishReading(this.#upstream)
  }

  /** The answer cannot go on: one error event, no [DONE], and the end of the body; or a body without its end. */
  #fail(error: ApiError): void {
    if (this.#ended) return
    // First: the end of the call comes back here.
    this.#ended = true
    this.#failure = error
    this.#relay.record.fail(error)
    this.#relay.watch.end(error)
    this.#release()
    this.#close()
  }

  /** Ends the body, as far as its head is out; else `start` does. */
  #close(): void {
    const sink = this.#sink
    if (sink === null) return
    const error = this.#failure
    if (error !== null && !this.#inBand) sink.close(error)
    else {
      if (error !== null) void sink.write(this.#failureEvent(error))
      sink.close()
    }
    this.#closed.resolve()
  }

  /** SDKs close right after the terminal event: that is a success. */
  #clientGone(): void {
    this.#closed.resolve()
    if (this.#ended) return
    if (this.#tap.complete) {
      this.#upstream.cancel()
      this.#recordFailure()
      return this.#release()
    }
    this.#ended = true
    const gone = new ApiError('client_closed')
    this.#relay.record.fail(gone)
    this.#relay.watch.end(gone)
    this.#release()
  }

  /** An answer whose last event says that it failed is complete, but it is not a success. */
  #recordFailure(): void {
    const { failure } = this.#tap
    if (!failure) return
    const isLimit = failure.code === 'rate_limit_exceeded'
    this.#relay.record.fail(new ApiError(isLimit ? 'upstream_rate_limited' : 'upstream_error'))
  }

  #release(): void {
    this.#ended = true
    this.#relay.record.usage = this.#tap.usage
    this.#relay.context.restoreIdleTimeout()
    this.#resources?.dispose()
  }
}
