/** Why a call brought no whole answer. */

/**
 * - `refused`: no connection could be made: nothing listens there, or the name does not resolve.
 * - `connect-timeout`: no connection, TLS included, was there in time.
 * - `reset`: the connection ended before the answer did.
 * - `protocol`: what came is not a valid HTTP/1.1 answer, or TLS failed.
 */
export type Http1FailureKind = 'refused' | 'connect-timeout' | 'reset' | 'protocol'

/** The one error of this client, apart from the reason of an aborted signal and TypeErrors for bad arguments. */
export class Http1Failure extends Error {
  readonly kind: Http1FailureKind
  /** A byte of the answer had come. */
  readonly answered: boolean
  /** The connection was not made for this call: if nothing was answered, a new one may well succeed. */
  readonly reused: boolean

  constructor(
    kind: Http1FailureKind,
    { answered, reused, cause }: { readonly answered: boolean; readonly reused: boolean; readonly cause?: unknown },
  ) {
    super(`${kind}${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause })
    this.name = 'Http1Failure'
    this.kind = kind
    this.answered = answered
    this.reused = reused
  }
}

/** The cause of a `refused`: the client may not reach this address. Nothing was sent. */
export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden'
}

/** Thrown by the parser at the first byte that no valid answer can have. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
}
