/** What every way to relay an answer needs to know. */
import type { RequestContext } from '#http/request-context.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { CallWatch } from '../call/call-watch.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'

/**
 * Turns the upstream's 2xx answer into the client's. Rejects with a failure before its first byte; a
 * later failure ends the answer in a way that no client can mistake for a complete one.
 */
export type RelayAnswer = (reply: Reply, relay: Relay) => Response | Promise<Response>

export interface Relay {
  readonly context: RequestContext
  readonly watch: CallWatch
  readonly record: RequestRecord
  readonly ticker: Ticker
  /** Headers that go to the client besides those that always do: see call/headers.ts. */
  readonly responseHeaders: readonly string[]
  readonly keepaliveSeconds: number
  readonly responseBytesMax: number
  readonly eventBytesMax: number
  readonly idleSeconds: number
  /** Written over the `model` of the answer; null leaves what the upstream sent. */
  readonly rewriteModel: string | null
  /** The client asked for a stream. */
  readonly streamed: boolean
  /** The client asked for vectors in base64. */
  readonly base64Vectors: boolean
  /** The gateway asked for the usage of a stream, and the client did not. */
  readonly stripUsage: boolean
  /**
   * Hands over what the request holds until its last byte is sent or dropped: the in-flight slot, the
   * attempt, the watch and the record. Called once, by a relay whose answer outlives the handler.
   */
  takeOver(): DisposableStack
  /** For answers of the Responses API; made on demand. */
  tracker(): ResponseTracker
}

/** Notes who owns an answer that its provider may store, and counts its tokens once; see responses/response-tracker.ts. */
export interface ResponseTracker {
  /** The client is about to see the answer's id. */
  observe(response: ResponseInfo): Promise<void>
  /** The answer has ended: whether its tokens belong into the record of this request. */
  claimUsage(): Promise<boolean>
  /** The names under which the gateway keeps an answer in place of its provider; null leaves the provider's. */
  readonly names: ResponseNames | null
  /** The gateway keeps the answers of this request, or puts them into a conversation that it keeps. */
  readonly keeps: boolean
  /** The answer is complete, and the client is about to learn so. Never rejects. */
  keep(answer: Readonly<Record<string, unknown>>): Promise<void>
}

/** Puts the gateway's ids into an answer of the Responses API. */
export interface ResponseNames {
  /** A whole Response object. */
  response(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** The data of an event; its `type` comes first. */
  event(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

/** What is read of an answer of the Responses API. */
export interface ResponseInfo {
  readonly id: string | null
  /** Its `status` says that nothing more will come. */
  readonly ended: boolean
  readonly store: boolean
  readonly background: boolean
  readonly conversationId: string | null
}
