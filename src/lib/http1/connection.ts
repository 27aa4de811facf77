/**
 * One connection to an origin. It carries one call at a time, from the first byte of the request
 * to the last of the answer; what it is between calls is its owner's affair (pool.ts).
 */
import type { Socket, SocketHandler } from 'bun'
import type { AnswerHead } from './answer-head.ts'
import { AnswerParser } from './answer-parser.ts'
import type { Carrier, Http1Call } from './call.ts'
import { AddressForbidden, Http1Failure, type Http1FailureKind } from './failure.ts'
import { Outgoing } from './outgoing.ts'
import type { Proxy } from './proxy.ts'
import type { EncodedRequest } from './request.ts'
import { openTunnel } from './tunnel.ts'

export interface Address {
  readonly hostname: string
  readonly port: number
  /** Null for plain HTTP. */
  readonly tls: Readonly<Bun.TLSOptions> | null
  readonly headBytesMax: number
  /** Whether requests may go to this IP address. */
  readonly mayReach: (address: string) => boolean
  /** The proxy through which a server with TLS is reached; null for none. */
  readonly tunnel: Proxy | null
}

/** A call with all that is needed to send it. */
export interface Assignment {
  readonly call: Http1Call
  readonly request: EncodedRequest
  readonly bodiless: boolean
}

/** Hears how a connection ends. */
export interface ConnectionOwner {
  /** It can take a call: new with none to carry, or done with one. `keepSeconds` is the server's word for how long. */
  onIdle(connection: Connection, keepSeconds: number | null): void
  /** It has opened or been given up by its call while it was opening. */
  onAbandoned(connection: Connection): void
  /** It is gone. */
  onGone(connection: Connection): void
}

const keepAliveProbeMs = 60_000

export class Connection implements Carrier {
  /** For the owner: when to close it if it stays idle, in `clock.elapsed()`. */
  idleUntil = 0
  readonly #owner: ConnectionOwner
  readonly #address: Address
  readonly #outgoing = new Outgoing((reason) => this.#bodyFailed(reason))
  #phase: 'opening' | 'idle' | 'busy' | 'gone' = 'opening'
  #socket: Socket<Connection> | null = null
  /** A tunnel whose proxy has not answered yet: all that can be done to it. */
  #proxySocket: Pick<Socket<unknown>, 'terminate'> | null = null
  #assignment: Assignment | null = null
  #parser: AnswerParser | null = null
  /** The parser of the answer before, which was complete. */
  #spareParser: AnswerParser | null = null
  #paused = false
  #reused = false
  #error: unknown = undefined

  /** Starts to connect; the assignment is sent as soon as that is done. */
  constructor(owner: ConnectionOwner, address: Address, assignment: Assignment) {
    this.#owner = owner
    this.#address = address
    this.#assignment = assignment
    assignment.call.carriedBy(this)
    this.#open(address)
  }

  /** `clock.elapsed()` until which it may go on opening; infinite when no call waits for it. */
  get openBy(): number {
    return this.#phase === 'opening' ? (this.#assignment?.call.connectBy ?? Infinity) : Infinity
  }

  /** Takes on a call. Only for a connection that is idle, or opening without a call. */
  assign(assignment: Assignment): void {
    this.#assignment = assignment
    this.#reused = true
    assignment.call.carriedBy(this)
    if (this.#phase === 'idle') this.#send(assignment)
  }

  /** Ends the wait for the connection. */
  openingTimedOut(): void {
    const call = this.#assignment?.call
    const failure = this.#failure('connect-timeout', undefined)
    this.drop()
    call?.fail(failure)
  }

  /** Closes in good order: for a connection without a call. */
  close(): void {
    if (this.#phase === 'gone') return
    this.#gone()
    this.#socket?.end()
  }

  /** Breaks it; a call that it carries fails with this cause. */
  break(cause: Error): void {
    this.#breakOff('reset', cause)
  }

  pause(): void {
    this.#paused = true
    this.#socket?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#socket?.resume()
  }

  drop(): void {
    this.#assignment = null
    // A connection attempt cannot be called off; it is of use to the next call.
    if (this.#phase === 'opening' && this.#socket === null && this.#proxySocket === null)
      return this.#owner.onAbandoned(this)
    this.#terminate()
  }

  /** For the tunnel: it ends with the connection until the handlers have its socket. */
  reached(socket: Pick<Socket<unknown>, 'terminate'>): void {
    this.#proxySocket = socket
    if (this.#phase === 'gone') socket.terminate()
  }

  /** For the handlers: a plain connection is ready now, one with TLS begins its handshake. */
  opened(socket: Socket<Connection>): void {
    this.#socket = socket
    if (this.#phase === 'gone') {
      socket.terminate()
      return
    }
    if (!this.#address.mayReach(socket.remoteAddress)) return this.#breakOff('refused', new AddressForbidden())
    socket.setNoDelay(true)
    socket.setKeepAlive(true, keepAliveProbeMs)
    if (this.#address.tls === null) this.#ready()
  }

  /** For the handlers: only a certificate that is valid for this host lets a request out. */
  secured(authorized: boolean, error: Error | null): void {
    if (this.#phase !== 'opening') return
    if (authorized && error === null) this.#ready()
    else this.#breakOff('protocol', error ?? new Error('the certificate was not accepted'))
  }

  /** For the handlers. */
  failedToOpen(error: unknown): void {
    if (this.#phase !== 'opening') return
    const timedOut = error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT'
    this.#breakOff(timedOut ? 'connect-timeout' : 'refused', error)
  }

  /** For the handlers: bytes of the answer, whose memory is ours (each read has its own). */
  received(bytes: Buffer): void {
    const parser = this.#parser
    const assignment = this.#assignment
    // Nobody has asked: whatever this is, the connection is out of step.
    if (parser === null || assignment === null) return this.#terminate()
    const hadHead = parser.head !== null
    try {
      const body = parser.push(bytes)
      if (!hadHead && parser.head !== null) this.#answered(parser.head, assignment.call)
      if (body !== null) assignment.call.receive(body)
      // Its reader has given the call up.
      if (this.#assignment !== assignment) return
    } catch (malformed) {
      return this.#breakOff('protocol', malformed)
    }
    if (parser.ended) this.#finish(parser, assignment.call)
    else assignment.call.holdBack()
  }

  /** For the handlers: the socket has room again. */
  drained(): void {
    if (this.#socket !== null && !this.#outgoing.done) this.#outgoing.flush(this.#socket)
  }

  /** For the handlers: the server will send no more. */
  finished(): void {
    const call = this.#assignment?.call
    if (call !== undefined && this.#parser?.end() !== true) return
    // The end of what was sent, and of a connection that is of no more use.
    this.close()
    call?.end()
  }

  /** For the handlers: TLS failed on an open connection, or a handler of ours threw. */
  failed(error: unknown): void {
    this.#breakOff('protocol', error)
  }

  /** For the handlers: the socket is closed, by either side. */
  closed(error: unknown): void {
    // Closed before the handshake was over: the other side does not speak TLS as we do.
    this.#breakOff(this.#phase === 'opening' ? 'protocol' : 'reset', error)
  }

  #open({ hostname, port, tls, headBytesMax, tunnel }: Address): void {
    if (tls !== null && tunnel !== null)
      return openTunnel({ hostname, port, tls, headBytesMax, proxy: tunnel }, this, tlsHandlers)
    const options = { hostname, port, socket: tls === null ? plainHandlers : tlsHandlers, data: this }
    // The handlers learn of a failure as well; here it is only marked as handled.
    Bun.connect<Connection>(tls === null ? options : { ...options, tls }).catch((error: unknown) =>
      this.failedToOpen(error),
    )
  }

  #ready(): void {
    this.#phase = 'idle'
    if (this.#assignment === null) this.#owner.onIdle(this, null)
    else this.#send(this.#assignment)
  }

  #send({ request, bodiless }: Assignment): void {
    this.#phase = 'busy'
    this.#parser = this.#spareParser?.reset(bodiless) ?? new AnswerParser(this.#address.headBytesMax, bodiless)
    if (this.#socket !== null) this.#outgoing.begin(this.#socket, request)
  }

  #answered(head: AnswerHead, call: Http1Call): void {
    // RFC 9112 section 9.3: who reads of a refusal stops sending.
    if (head.status >= 300) this.#outgoing.stop()
    call.begin(head)
  }

  #bodyFailed(reason: unknown): void {
    const call = this.#assignment?.call
    this.#terminate()
    call?.abandon(reason)
  }

  /** The answer is complete. */
  #finish(parser: AnswerParser, call: Http1Call): void {
    this.#assignment = null
    this.#parser = null
    // TLS may hand over what it had decoded before it heard of the pause.
    if (this.#paused) this.resume()
    if (parser.excess || !this.#outgoing.done) this.#terminate()
    else if (parser.head?.persistent !== true) this.close()
    else {
      this.#phase = 'idle'
      this.#spareParser = parser
      this.#owner.onIdle(this, parser.head.keepSeconds)
    }
    call.end()
  }

  #breakOff(kind: Http1FailureKind, cause: unknown): void {
    if (this.#phase === 'gone') return
    const call = this.#assignment?.call
    this.#error ??= cause
    const failure = call === undefined ? null : this.#failure(kind, this.#error)
    this.#terminate()
    if (failure !== null) call?.fail(failure)
  }

  #failure(kind: Http1FailureKind, cause: unknown): Http1Failure {
    return new Http1Failure(kind, { answered: this.#parser?.started === true, reused: this.#reused, cause })
  }

  #terminate(): void {
    if (this.#phase === 'gone') return
    this.#gone()
    ;(this.#socket ?? this.#proxySocket)?.terminate()
  }

  #gone(): void {
    this.#phase = 'gone'
    this.#outgoing.stop()
    this.#assignment = null
    this.#parser = null
    this.#owner.onGone(this)
  }
}

const plainHandlers: SocketHandler<Connection> = {
  binaryType: 'buffer',
  open: (socket) => socket.data.opened(socket),
  connectError: (socket, error) => socket.data.failedToOpen(error),
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.drained(),
  end: (socket) => socket.data.finished(),
  error: (socket, error) => socket.data.failed(error),
  close: (socket, error) => socket.data.closed(error),
}

const tlsHandlers: SocketHandler<Connection> = {
  ...plainHandlers,
  handshake: (socket, authorized, error) => socket.data.secured(authorized, error),
}
