/**
 * What every kind of upstream offers. The gateway knows providers only through this file.
 *
 * A provider answers in the OpenAI dialect whatever it speaks upstream. It keeps no counters,
 * does not retry, and does not time out: the gateway's signal ends every call. Adding a kind means
 * one file here, one line in registry.ts, and a run of the contract suite
 * (test/support/provider-contract.ts).
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Reply } from '#lib/http1/reply.ts'

/** Upstream endpoints by their path below the base URL. */
export type Endpoint = 'chat/completions' | 'completions' | 'embeddings'

export interface UpstreamCall {
  readonly endpoint: Endpoint
  /** The provider's own name of the model; `body` already carries it. */
  readonly upstreamModel: string
  /** The JSON body to send. */
  readonly body: Uint8Array<ArrayBuffer>
  /** Whether the body asks for a stream of server-sent events. */
  readonly streamed: boolean
  /** Client headers that may travel on (lower case), already cleaned. */
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
  /** Ends the call: client gone, time-out or shutdown. The upstream connection closes at once. */
  readonly signal: AbortSignal
  /** False asks for a connection of its own, after a reused one was found closed. */
  readonly reuseConnection: boolean
  /** Bound on making a connection, for providers that make their own; none when left out. */
  readonly connectTimeoutMs?: number
}

export interface DiscoveredModel {
  /** The provider's own name. */
  readonly id: string
  /** Tokens, when the provider tells. */
  readonly contextLength?: number
}

export interface Provider {
  readonly record: ProviderRecord
  readonly endpoints: ReadonlySet<Endpoint>
  /**
   * Sends one call and resolves with the head of the answer; the body is read by the caller.
   * Rejects with an UpstreamFailure when no answer came, or with the signal's reason.
   */
  send(call: UpstreamCall): Promise<Reply>
  /** The models that the provider offers now. Rejects like `send`. */
  discover(signal: AbortSignal): Promise<readonly DiscoveredModel[]>
}

/**
 * Why no answer came.
 * - `refused`: nothing listens there, or the name does not resolve.
 * - `connect-timeout`: no connection came about in time.
 * - `stale`: a kept connection turned out to be closed before any byte of an answer; nothing was done upstream.
 * - `reset`: the connection broke before the answer's head.
 * - `protocol`: what came is not HTTP, or TLS failed.
 */
export type UpstreamFailureKind = 'refused' | 'connect-timeout' | 'stale' | 'reset' | 'protocol'

export class UpstreamFailure extends Error {
  readonly kind: UpstreamFailureKind

  constructor(kind: UpstreamFailureKind, cause: unknown) {
    super(`upstream ${kind}`, { cause })
    this.name = 'UpstreamFailure'
    this.kind = kind
  }
}
