/**
 * Relays an answer that is a stream of server-sent events, event by event, at the pace of the
 * client: the upstream is read only when the client has room, so a slow reader costs no memory.
 *
 * The answer's head waits for the first event, so that a failure before it has its real status.
 * If the upstream stays silent the head goes out with a comment, and later failures go in-band.
 */
import { ApiError, toApiError } from '#errors/api-error.ts'
import { errorEvent } from '#errors/render.ts'
import { readAll, type Reply, type ReplyBody } from '#lib/http1/reply.ts'
import { headersForClient } from './headers.ts'
import type { Relay } from './relay.ts'
import { StreamTap } from './stream-tap.ts'

const oversizedMessage = 'The model provider sent an event that is larger than this gateway allows.'
const endOfBodyMs = 1000
const keepalive = new TextEncoder().encode(': keep-alive\n\n')

/** The streamed answer for the client. Throws what goes wrong before the first event. */
export async function relayStream(reply: Reply, relay: Relay): Promise<Response> {
  const stream = new RelayedStream(reply.body, relay)
  const headers = headersForClient(reply.headers)
  headers['content-type'] = 'text/event-stream; charset=utf-8'
  headers['cache-control'] = 'no-cache'
  headers['x-accel-buffering'] = 'no'
  await stream.open()
  // Only now: what is thrown above ends the request while its caller still holds everything.
  stream.takeOver(relay.takeOver())
  return relay.exchange.respond(stream.body, { status: reply.status, headers })
}

interface Piece {
  readonly bytes: Uint8Array
  /** The answer is complete with these bytes. */
  readonly last: boolean
}

class RelayedStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #relay: Relay
  readonly #tap: StreamTap
  readonly #upstream: ReplyBody
  #controller!: ReadableStreamDefaultController<Uint8Array>
  /** The piece that `open` reads ahead; later pieces are read when the client asks for them. */
  #first: Promise<Piece> | null = null
  #sentAt: number
  /** The client has asked and the upstream has not answered yet. */
  #waiting = false
  #ended = false
  #held: DisposableStack | null = null

  constructor(upstream: ReplyBody, relay: Relay) {
    this.#relay = relay
    this.#tap = new StreamTap(relay)
    this.#upstream = upstream
    this.#sentAt = relay.exchange.clock.elapsed()
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#pull(),
        cancel: () => this.#clientLeft(),
      },
      // Zero: nothing is read before the client asks for it.
      { highWaterMark: 0 },
    )
  }

  /** Resolves when the first event has come or the upstream has been silent for a while; throws if it fails before. */
  async open(): Promise<void> {
    this.#first = this.#read()
    // Marked as handled: when silence wins the race, the first pull finds the error again.
    this.#first.catch(() => {})
    const silence = pause(this.#relay.keepaliveSeconds * 1000)
    try {
      await Promise.race([this.#first, silence.elapsed])
    } finally {
      silence.cancel()
    }
  }

  /** From now on the stream owns what the request holds, and disposes it when the body ends or is dropped. */
  takeOver(held: DisposableStack): void {
    this.#held = held
    const { ticker } = this.#relay
    ticker.add(this.#keepAlive)
    held.defer(() => ticker.delete(this.#keepAlive))
    const { signal } = this.#relay.watch
    signal.addEventListener('abort', this.#callEnded)
    held.defer(() => signal.removeEventListener('abort', this.#callEnded))
    if (signal.aborted) this.#callEnded()
  }

  /** While nothing is read from the upstream no read fails, so the end of the call is heard here. */
  readonly #callEnded = (): void => {
    const { reason } = this.#relay.watch
    if (!this.#waiting && reason !== null) this.#breakOff(reason)
  }

  async #pull(): Promise<void> {
    const pending = this.#first ?? this.#read()
    this.#first = null
    this.#waiting = true
    try {
      const piece = await pending
      if (this.#ended) return
      if (piece.bytes.byteLength > 0) this.#send(piece.bytes)
      if (piece.last) this.#end()
    } catch (thrown) {
      this.#breakOff(toApiError(thrown))
    } finally {
      this.#waiting = false
    }
  }

  /** The next bytes for the client. Throws an ApiError when the answer cannot go on. */
  async #read(): Promise<Piece> {
    const { watch, record, idleSeconds } = this.#relay
    // Until the first event the time-out for the first token runs on.
    if (this.#tap.started) watch.expect('idle', idleSeconds)
    for (;;) {
      // First, for they may have come in one piece with events that were still to be sent.
      if (this.#tap.upstreamError !== null) throw this.#brokenOff()
      if (this.#tap.oversized) throw new ApiError('upstream_invalid_response', { message: oversizedMessage })
      const value = await this.#readUpstream()
      if (value === null) return { bytes: this.#rest(), last: true }
      const bytes = this.#tap.push(value)
      if (bytes !== null || this.#tap.done) {
        record.firstToken()
        watch.rest()
        return { bytes: bytes ?? new Uint8Array(), last: this.#tap.done }
      }
    }
  }

  async #readUpstream(): Promise<Uint8Array | null> {
    try {
      return await this.#upstream.read()
    } catch (thrown) {
      throw this.#relay.watch.reason ?? new ApiError('upstream_stream_error', { cause: thrown })
    }
  }

  /** What is still to be sent when the upstream has closed its body. */
  #rest(): Uint8Array {
    const rest = this.#tap.end()
    if (rest === null) throw this.#brokenOff()
    return rest
  }

  #brokenOff(): ApiError {
    const message = this.#tap.upstreamError?.message
    return new ApiError('upstream_stream_error', {
      message: message ? `The model provider broke off: ${message}` : undefined,
    })
  }

  readonly #keepAlive = (): void => {
    if (this.#waiting && this.#relay.exchange.clock.elapsed() - this.#sentAt >= this.#relay.keepaliveSeconds * 1000)
      this.#send(keepalive)
  }

  #send(bytes: Uint8Array): void {
    this.#relay.record.responseBytes += bytes.byteLength
    this.#sentAt = this.#relay.exchange.clock.elapsed()
    this.#controller.enqueue(bytes)
  }

  /** The whole answer has gone out. */
  #end(): void {
    this.#release()
    this.#controller.close()
    void finishReading(this.#upstream)
  }

  /** The answer cannot go on: one error event, no [DONE], and the end of the body. */
  #breakOff(error: ApiError): void {
    if (this.#ended) return
    this.#relay.record.fail(error)
    this.#relay.watch.end(error)
    this.#release()
    this.#controller.enqueue(errorEvent(error))
    this.#controller.close()
  }

  /** SDKs close right after the terminal event: that is a success, and here the stream has ended then. */
  #clientLeft(): void {
    if (this.#ended) return
    const gone = new ApiError('client_closed')
    this.#relay.record.fail(gone)
    this.#relay.watch.end(gone)
    this.#release()
  }

  #release(): void {
    this.#ended = true
    this.#relay.record.usage = this.#tap.usage
    this.#relay.exchange.restoreIdleTimeout()
    this.#held?.dispose()
  }
}

function pause(ms: number): { readonly elapsed: Promise<void>; readonly cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  return { elapsed: promise, cancel: () => clearTimeout(timer) }
}

/**
 * The upstream ends its body right after [DONE]; reading that end keeps its connection usable. One
 * that does not end is given up.
 */
async function finishReading(body: ReplyBody): Promise<void> {
  const patience = pause(endOfBodyMs)
  try {
    await Promise.race([readAll(body, 0), patience.elapsed])
  } catch {
    // The answer was complete; how its connection ends concerns nobody.
  } finally {
    patience.cancel()
    body.cancel()
  }
}
