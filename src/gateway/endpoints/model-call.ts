/** What distinguishes one endpoint from another: how its body is read, and how its answer is relayed. */
import type { Purpose } from '#catalog/records.ts'
import type { Attributes } from '#observe/traces/span.ts'
import type { BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Endpoint } from '#providers/provider.ts'
import type { CallSender } from '../upstreams/forward.ts'
import type { Settled } from '../usage/usage-recorder.ts'
import type { RelayAnswer } from '../relay/relay.ts'
import type { ModelRequest } from '../request/model-request.ts'

export interface ModelCall {
  /** Path below the provider's base URL, and the name in records and metrics. */
  readonly endpoint: Endpoint
  /** Reads and checks the body. Answers 400, 408, 413 or 415 by throwing. */
  readonly read: (context: RequestContext, limits: BodyLimits) => Promise<ModelRequest>
  /** The endpoint knows `stream_options.include_usage`. */
  readonly asksUsage: boolean
  /** The `accept` header; JSON or events, as the client asked, when left out. */
  readonly accept?: string
  /** Small requests may be sent upstream together: see EmbeddingBatcher. */
  readonly batchable?: boolean
  /** `realtime` when left out, or `batch` when the request says so. A `batch` call takes no in-flight slot. */
  readonly purpose?: Purpose
  /** Waits ahead of batches. */
  readonly isAsync?: boolean
  /** Has the answer already, from a batch of the provider's own: nothing is called, and no cap or health counts. */
  readonly answered?: CallSender
  /** Hears what it cost, null without a price, its tokens, and what ended it, before the end of the answer. */
  readonly settled?: Settled | undefined
  /** What a trace says about the call. */
  readonly traced?: Attributes
  readonly relay: RelayAnswer
  /** The answer before anything of it is known, for providers that have the endpoint and store no answers. */
  readonly pending?: (request: ModelRequest, now: number) => Readonly<Record<string, unknown>>
  /** The call for a model whose provider lacks the endpoint. Answers 400 for a request that cannot be translated. */
  readonly translate?: (request: ModelRequest, now: number) => PreparedCall
}

/** A request, and the call as it is made upstream. */
export interface PreparedCall {
  /** The answer before anything of it is known; only for an answer that the gateway itself can make in the background. */
  readonly pending?: () => Readonly<Record<string, unknown>>
  /** The types of tools that the request offers and the model does without. */
  readonly dropped?: readonly string[]
  readonly call: ModelCall
  readonly request: ModelRequest
}
