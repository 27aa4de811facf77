/**
 * A realtime session: two WebSockets, and every message from one passed to the other as it is. Of the provider's messages
 * only those that begin and end an answer are read, for its usage.
 *
 * A side that reads slowly slows the other down: when more than the setting allows waits for one side, the other is not
 * read until half of that has gone. A side that reads nothing at all ends the session.
 * Events: https://platform.openai.com/docs/api-reference/realtime-server-events
 */
import { ApiError, toApiError } from '#errors/api-error.ts'
import type { ClientSocket, SocketHandler } from '#http/web-socket.ts'
import type { Clock } from '#lib/clock.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { SocketListener, UpstreamSocket } from '#providers/provider.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'
import { AnswerCounter } from './answer-counter.ts'

export interface SessionOptions {
  readonly record: RequestRecord
  /** Whether the caller may still do what the session does; asked every second. */
  readonly isAllowed: () => boolean
  /** Most bytes that wait for a side before the other is not read. */
  readonly bufferBytesMax: number
  readonly messageBytesMax: number
  readonly idleMs: number
  readonly clock: Clock
  readonly ticker: Ticker
  /** Aborted when running requests have to end. */
  readonly shutdown: AbortSignal
}

interface Goodbye {
  readonly code: number
  readonly reason: string
}

const restart: Goodbye = { code: 1012, reason: 'The server is shutting down. Connect again.' }
const providerLost: Goodbye = { code: 1011, reason: 'The connection to the model provider was lost.' }
const denied: Goodbye = { code: 1008, reason: 'The API key may not use this model any more.' }
const tooLarge: Goodbye = { code: 1009, reason: 'A message of the model provider is larger than this gateway allows.' }
/** Between two looks whether the caller is still allowed. */
const allowedMs = 1000
/** What the runtime calls the end of a client that has sent too much. */
const tooBig = 'Received too big message'

export class RealtimeSession implements SocketHandler {
  /** What the provider's WebSocket reports to. */
  readonly upstreamEnd: SocketListener = {
    message: (data) => this.#received(data),
    pong: () => void (this.#heardAt = this.#now()),
    closed: (code, reason) => this.#upstreamClosed(code, reason),
  }
  readonly #options: SessionOptions
  readonly #answers = new AnswerCounter()
  #upstream: UpstreamSocket | null = null
  #client: ClientSocket | null = null
  #resources: DisposableStack | null = null
  /** What the provider has sent before the client's end was open. */
  #early: (string | Uint8Array)[] = []
  /** How the session ends, once that is known. */
  #goodbye: Goodbye | null = null
  #isLeaving = false
  #heardAt = 0
  #pingedAt = 0
  #allowedAt = 0
  /** Since when the provider is not read and nothing that waits for the client has moved; null while it is read. */
  #upstreamPausedAt: number | null = null
  /** The same of the client. */
  #clientPausedAt: number | null = null
  #waitingForUpstream = 0

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** The provider's end is open. The session owns the resources of the request from now on. */
  connected(upstream: UpstreamSocket, resources: DisposableStack): void {
    this.#upstream = upstream
    this.#resources = resources
    this.#heardAt = this.#now()
    upstream.pause()
    this.#options.ticker.add(this.#check)
  }

  /** The client's end will never open. */
  abandon(thrown: unknown): void {
    this.#options.record.fail(toApiError(thrown))
    this.#upstream?.close(1001, '')
    this.#finish()
  }

  opened(client: ClientSocket): void {
    this.#client = client
    for (const data of this.#early.splice(0)) client.send(data)
    if (this.#goodbye !== null) client.close(this.#goodbye.code, this.#goodbye.reason)
    else this.#upstream?.resume()
  }

  /** From the client. */
  message(data: string | Uint8Array): void {
    const upstream = this.#upstream
    if (upstream === null || this.#goodbye !== null) return
    this.#options.record.requestBytes += bytesOf(data)
    upstream.send(data)
    if (this.#clientPausedAt !== null || upstream.bufferedBytes <= this.#options.bufferBytesMax) return
    this.#clientPausedAt = this.#now()
    this.#waitingForUpstream = upstream.bufferedBytes
    this.#client?.pause()
  }

  drained(): void {
    if (this.#upstreamPausedAt === null || this.#client === null) return
    this.#upstreamPausedAt = this.#now()
    if (this.#client.bufferedBytes > this.#options.bufferBytesMax / 2) return
    this.#upstreamPausedAt = null
    this.#heardAt = this.#now()
    this.#upstream?.resume()
  }

  closed(code: number, reason: string): void {
    if (code === 1006 && this.#goodbye === null)
      this.#options.record.fail(new ApiError(reason === tooBig ? 'request_too_large' : 'client_closed'))
    this.#client = null
    this.#upstream?.close(isSendable(code) ? code : 1001, reason)
    this.#finish()
  }

  leave(): void {
    this.#isLeaving = true
    if (this.#answers.underWay === 0) this.#end(restart)
  }

  #received(data: string | Uint8Array): void {
    const { record, messageBytesMax, bufferBytesMax } = this.#options
    this.#heardAt = this.#now()
    record.firstToken()
    const bytes = bytesOf(data)
    if (bytes > messageBytesMax) {
      record.fail(new ApiError('upstream_invalid_response'))
      this.#end(tooLarge)
      return
    }
    record.responseBytes += bytes
    if (typeof data === 'string' && this.#answers.read(data)) record.usage = this.#answers.usage
    const client = this.#client
    if (client === null) {
      this.#early.push(data)
      return
    }
    client.send(data)
    if (this.#upstreamPausedAt === null && client.bufferedBytes > bufferBytesMax) {
      this.#upstreamPausedAt = this.#now()
      this.#upstream?.pause()
    }
    if (this.#isLeaving && this.#answers.underWay === 0) this.#end(restart)
  }

  #upstreamClosed(code: number, reason: string): void {
    if (isSendable(code)) this.#end({ code, reason })
    else if (code === 1005) this.#end({ code: 1000, reason })
    else this.#loseUpstream()
  }

  #loseUpstream(): void {
    if (this.#goodbye === null) this.#options.record.fail(new ApiError('upstream_stream_error'))
    this.#end(providerLost)
  }

  /** Says goodbye to both; the client's `closed` finishes the session. */
  #end(goodbye: Goodbye): void {
    if (this.#goodbye !== null) return
    this.#goodbye = goodbye
    this.#upstream?.close(goodbye === restart ? 1001 : 1000, '')
    this.#client?.close(goodbye.code, goodbye.reason)
  }

  #finish(): void {
    this.#options.ticker.delete(this.#check)
    this.#early = []
    this.#resources?.dispose()
  }

  #now(): number {
    return this.#options.clock.elapsed()
  }

  readonly #check = (): void => {
    const { shutdown, idleMs, record } = this.#options
    const now = this.#now()
    if (shutdown.aborted) this.#end(restart)
    else this.#checkAllowed(now)
    if (this.#goodbye !== null) return
    if (this.#clientPausedAt !== null) this.#checkUpstreamReads(now)
    if (this.#upstreamPausedAt === null) this.#checkUpstreamLives(now)
    else if (now - this.#upstreamPausedAt > idleMs) {
      record.fail(new ApiError('client_closed'))
      this.#goodbye = restart
      this.#client?.terminate()
    }
  }

  #checkAllowed(now: number): void {
    if (now - this.#allowedAt < allowedMs) return
    this.#allowedAt = now
    if (!this.#options.isAllowed()) this.#end(denied)
  }

  /** The provider reads on what waits for it, until the client may be read again. */
  #checkUpstreamReads(now: number): void {
    const waiting = this.#upstream?.bufferedBytes ?? 0
    if (waiting <= this.#options.bufferBytesMax / 2) {
      this.#clientPausedAt = null
      this.#client?.resume()
    } else if (waiting < this.#waitingForUpstream) {
      this.#waitingForUpstream = waiting
      this.#clientPausedAt = now
    } else if (now - (this.#clientPausedAt ?? now) > this.#options.idleMs) this.#loseUpstream()
  }

  /** The provider is asked for a sign of life when it has been silent for half of the time that it has. */
  #checkUpstreamLives(now: number): void {
    const { idleMs } = this.#options
    if (now - this.#heardAt > idleMs) this.#loseUpstream()
    else if (now - Math.max(this.#heardAt, this.#pingedAt) > idleMs / 2) {
      this.#pingedAt = now
      this.#upstream?.ping()
    }
  }
}

function bytesOf(data: string | Uint8Array): number {
  return typeof data === 'string' ? Buffer.byteLength(data) : data.length
}

/** RFC 6455 section 7.4: the others are never sent. */
function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999)
}
