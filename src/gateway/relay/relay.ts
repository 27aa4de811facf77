/** What every way of relaying an answer needs to know. */
import type { CallWatch } from '../call/call-watch.ts'
import type { Keeper } from '../responses/response-tracker.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { RequestRecord } from '../usage/usage-recorder.ts'

/**
 * Turns the upstream's 2xx answer into the client's. Rejects with what goes wrong before its first
 * byte; what goes wrong later ends the answer so that it cannot be taken for complete.
 */
export type RelayAnswer = (reply: Reply, relay: Relay) => Promise<Response>

export interface Relay {
  readonly context: RequestContext
  readonly watch: CallWatch
  readonly record: RequestRecord
  /**
   * Hands over what the request holds until its last byte is sent or dropped: the in-flight slot, the
   * try, the watch and the record. Called once, by a relay whose answer outlives the handler.
   */
  readonly takeOver: () => DisposableStack
  /** Written over the `model` of the answer; null leaves what the upstream sent. */
  readonly rewriteModel: string | null
  /** The client asked for a stream. */
  readonly streamed: boolean
  /** The gateway asked for the usage of a stream, and the client did not. */
  readonly stripUsage: boolean
  readonly idleSeconds: number
  readonly keepaliveSeconds: number
  readonly responseBytesMax: number
  readonly eventBytesMax: number
  readonly ticker: Ticker
  /** For answers that the provider keeps; made when it is asked for. */
  readonly keeper: () => Keeper
}
