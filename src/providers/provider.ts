/**
 * What every kind of upstream offers. The gateway knows providers only through this file.
 *
 * A provider answers in the OpenAI dialect whatever it speaks upstream. It keeps no counters,
 * does not retry, and does not time out: the gateway's signal ends every call. Adding a kind means
 * one file here, one line in registry.ts, and a run of the contract suite
 * (test/support/contract/provider-contract.ts).
 */
import type { ProviderRecord } from '#catalog/records.ts'
import type { Cancellation } from '#lib/cancellation.ts'
import type { MakeReply, Reply } from '#lib/http1/reply.ts'
import type { BodyStream } from '#lib/http1/request.ts'
import type { ModelFacts } from './model-facts.ts'
import type { NativeBatches } from './native-batches.ts'
import type { ServerLoad } from './server-load.ts'

/** Every endpoint that an upstream can have, by its path below the base URL. */
export const endpointNames = [
  'chat/completions',
  'completions',
  'responses',
  'responses/compact',
  'responses/input_tokens',
  'messages',
  'messages/count_tokens',
  'embeddings',
  'rerank',
  'moderations',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/transcriptions',
  'audio/translations',
  'audio/speech',
  'realtime',
  'generate_stream',
  'image_generate_stream',
] as const

export type Endpoint = (typeof endpointNames)[number]

/** A multipart body on its way through, only for endpoints that take forms. */
export interface Upload {
  /** With the boundary. */
  readonly contentType: string
  readonly body: BodyStream
}

/** What a WebSocket of a provider is opened with. */
export interface SocketCall {
  /** The provider's own name of the model. */
  readonly upstreamModel: string
  /** Other parameters of the client's address. */
  readonly query: URLSearchParams
  /** Client headers that may travel on (lower case), already cleaned. */
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
  /** Ends the wait for the connection. */
  readonly signal: AbortSignal
}

/** What comes from a provider's WebSocket. `closed` comes last, once. */
export interface SocketListener {
  message(data: string | Uint8Array): void
  pong(): void
  closed(code: number, reason: string): void
}

/** A WebSocket of a provider. */
export interface UpstreamSocket {
  /** Bytes that wait for the provider to read them. */
  readonly bufferedBytes: number
  send(data: string | Uint8Array): void
  ping(): void
  /** Stops reading, so that the provider is slowed down; what has been read already still arrives. */
  pause(): void
  resume(): void
  /** Says goodbye; a provider that does not answer that is cut off. */
  close(code: number, reason: string): void
}

/** The provider answered the request for a WebSocket with this status instead. */
export class SocketRefused extends Error {
  readonly status: number
  /** Its whole answer, where it is known; the catcher reads or cancels the body. */
  readonly reply: Reply | null

  constructor(status: number, reply: Reply | null = null) {
    super(`upstream refused the upgrade with status ${status}`)
    this.name = 'SocketRefused'
    this.status = status
    this.reply = reply
  }
}

/** A body in several buffers, some of which other calls send, too. */
export interface Pieces {
  readonly contentType: string
  readonly parts: readonly Uint8Array[]
}

/** Something that a provider stores at an address of its own, and what is done with it. There is no body. */
export interface StoredResource {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL, with the query, percent-encoded. */
  readonly path: string
}

/** What a call carries. */
export type CallContent =
  | { readonly kind: 'json'; readonly body: Uint8Array<ArrayBuffer> }
  | ({ readonly kind: 'upload' } & Upload)
  /** Only for providers that say `sendsPieces`. */
  | ({ readonly kind: 'pieces' } & Pieces)
  /** Called in place of the endpoint, only at providers whose bytes are passed through. */
  | ({ readonly kind: 'resource' } & StoredResource)

export interface UpstreamCall {
  readonly endpoint: Endpoint
  /** The provider's own name of the model; `content` already carries it. */
  readonly upstreamModel: string
  readonly content: CallContent
  /** Whether the body asks for a stream of server-sent events. */
  readonly streamed: boolean
  /** What the `accept` header says; JSON or events, as `streamed` has it, when left out. */
  readonly accept?: string | undefined
  /** Client headers that may travel on (lower case), already cleaned. */
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
  /** Ends the call: client gone, time-out or shutdown. The upstream connection closes at once. */
  readonly signal: AbortSignal
  /** The same, cheaper: for clients of our own. Touching `signal` makes a signal of the platform. */
  readonly cancellation: Cancellation
  /** False asks for a connection of its own, after a reused one was found closed. */
  readonly reuseConnection: boolean
  /** Bound on an answer that the provider holds in memory as a whole. */
  readonly responseBytesMax?: number
  /** Bound on making a connection, for providers that make their own; none when left out. */
  readonly connectTimeoutMs?: number
}

/** The body of a call to a provider that takes nothing but JSON. Throws for anything else: its endpoints have no other. */
export function jsonBody({ content, endpoint }: UpstreamCall): Uint8Array<ArrayBuffer> {
  if (content.kind === 'json') return content.body
  throw new Error(`a call of ${endpoint} without a JSON body reached a provider that takes only JSON`)
}

export interface DiscoveredModel extends ModelFacts {
  /** The provider's own name. */
  readonly id: string
  /** What the provider says of who owns it, which several kinds of server use to name themselves. */
  readonly ownedBy?: string
}

export interface Provider {
  readonly record: ProviderRecord
  /** Those that it can be asked for; a model of it has no others. */
  readonly endpoints: ReadonlySet<Endpoint>
  /** It can send a body in pieces without a copy of the whole. */
  readonly sendsPieces?: boolean
  /**
   * Sends one call and resolves with the head of the answer; the body is read by the caller.
   * Rejects with an UpstreamFailure when no answer came, with the signal's reason, or with what
   * reading the upload rejected with.
   */
  send(call: UpstreamCall): Promise<Reply>
  /** The same, with the answer that is made of its head and its body: for providers that need no second promise for it. */
  readonly sendAs?: ((call: UpstreamCall, make: MakeReply) => Promise<Reply>) | undefined
  /**
   * Opens a WebSocket; only of a provider with the endpoint `realtime`. Rejects with SocketRefused, with an
   * UpstreamFailure, or with the signal's reason.
   */
  connect?(call: SocketCall, listener: SocketListener): Promise<UpstreamSocket>
  /** The models that the provider offers now. Rejects like `send`. */
  discover(signal: AbortSignal): Promise<readonly DiscoveredModel[]>
  /** How busy its server is, by the server's own metrics; null when it has none. Rejects like `send`. */
  load?(signal: AbortSignal): Promise<ServerLoad | null>
  /** Batches of its own, if its servers may have them; one without answers 404. */
  readonly batches?: NativeBatches
  /** More about discovered models, where the list of the server says little. Rejects only with the signal's reason. */
  describe?(models: readonly DiscoveredModel[], signal: AbortSignal): Promise<readonly DiscoveredModel[]>
}

/**
 * Why no answer came.
 * - `refused`: nothing listens there, or the name does not resolve.
 * - `connect-timeout`: no connection was made in time.
 * - `stale`: a kept connection turned out to be closed before any byte of an answer; nothing was done upstream.
 * - `reset`: the connection broke before the answer's head.
 * - `protocol`: what came is not HTTP, or TLS failed.
 */
export type UpstreamFailureKind = 'refused' | 'connect-timeout' | 'stale' | 'reset' | 'protocol'

export class UpstreamFailure extends Error {
  readonly kind: UpstreamFailureKind
  /** The same call has failed for another request, too, which has it counted. */
  readonly repeats: boolean

  constructor(kind: UpstreamFailureKind, cause: unknown, repeats = false) {
    super(`upstream ${kind}`, { cause })
    this.name = 'UpstreamFailure'
    this.kind = kind
    this.repeats = repeats
  }
}
