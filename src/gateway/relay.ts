/** What both ways of relaying an answer need to know. */
import type { CallWatch } from './call-watch.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Ticker } from '#lib/ticker.ts'
import type { RequestRecord } from './record.ts'

export interface Relay {
  readonly exchange: Exchange
  readonly watch: CallWatch
  readonly record: RequestRecord
  /**
   * Hands over what the request holds until its last byte is sent or dropped: the in-flight slot, the
   * try, the watch and the record. Called once, by a relay whose answer outlives the story.
   */
  readonly takeOver: () => DisposableStack
  /** Written over the `model` of the answer; null leaves what the upstream sent. */
  readonly rewriteModel: string | null
  /** The client did not ask for the usage of a stream. */
  readonly stripUsage: boolean
  readonly idleSeconds: number
  readonly keepaliveSeconds: number
  readonly responseBytesMax: number
  readonly eventBytesMax: number
  readonly ticker: Ticker
}
