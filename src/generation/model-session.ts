/**
 * What the generation handlers need of the gateway, as an interface: `generation` and `gateway` stand
 * side by side and do not know each other. src/gateway/session.ts has the other half, src/app.ts
 * brings the two together.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { ApiError } from '#errors/api-error.ts'
import type { RequestContext } from '#http/request-context.ts'
import type { Caller } from '#identity/records.ts'
import type { Reply } from '#lib/http1/reply.ts'
import type { Endpoint, Pieces } from '#providers/provider.ts'

/** Names of the endpoints in records and metrics. */
export type GenerationEndpoint = 'generate' | 'generate_stream' | 'image_generate' | 'image_generate_stream'

export interface TokenCounts {
  readonly promptTokens: number | null
  readonly completionTokens: number | null
}

/** The one usage row of the request, while it is being filled. */
export interface SessionRecord {
  modelAsked: string | null
  streamed: boolean
  requestBytes: number
  responseBytes: number
  /** Takes what the client gets; null when the content of this request is not logged. */
  readonly content: { answer(bytes: Uint8Array): void } | null
  usage: TokenCounts | null
  firstToken(): void
  fail(error: ApiError): void
}

/** What the prompts of a request can use at most. */
export interface PromptsSize {
  readonly texts: readonly string[]
  readonly hasImage: boolean
  /** Tokens of each answer. */
  readonly newTokens: number
}

/** One request of a caller to one model, from its record to its slot, with any number of calls in between. */
export interface ModelSession extends Disposable {
  readonly record: SessionRecord
  /** The model of a consumer group, or of the name itself when no group has it, after its rules. Answers 403, 404 or 503 by throwing. */
  resolve(group: string): Model
  /**
   * Takes the in-flight slot, one for the whole request, and what its prompts can cost; the model as budgets allow it.
   * Answers 400, 402, 429 or 503 by throwing.
   */
  admit(model: Model, prompts: PromptsSize): Promise<Model>
  /** One call, with failover until `open` has resolved. Answers what the gateway answers by throwing. */
  call<T>(order: CallOrder<T>): Promise<T>
  /** Ends all calls, under way and still to come, with this reason; only the first counts. */
  end(reason: ApiError): void
  /** Why the session was ended, or null. */
  readonly ended: ApiError | null
}

export interface CallOrder<T> {
  /** Whose upstreams are asked, in the order in which its strategy has them. */
  readonly model: Model
  /** What this upstream is sent. */
  readonly request: (upstream: Upstream) => UpstreamRequest
  /** Reads the answer up to its first token; until it resolves another upstream can take over. */
  readonly open: (answer: OpenAnswer) => Promise<T>
}

export interface UpstreamRequest {
  readonly endpoint: Endpoint
  readonly body: Pieces
}

/** A successful head whose body is still to be read. */
export interface OpenAnswer {
  readonly upstream: Upstream
  readonly reply: Reply
  readonly watch: AnswerWatch
  readonly idleSeconds: number
  readonly eventBytesMax: number
  /** Hands over what the call holds, to be disposed when the answer has been read or is given up. Once, when nothing can fail any more. */
  takeOver(): DisposableStack
}

/** The time-outs of one call. */
export interface AnswerWatch {
  /** Why the call was ended, or null. */
  readonly reason: ApiError | null
  expect(what: 'first-token' | 'idle', seconds: number): void
  /** Nobody is reading, so nothing is expected. */
  rest(): void
}

/** Begins the session of a request; its record is written when it is disposed. */
export type BeginSession = (context: RequestContext, caller: Caller, endpoint: GenerationEndpoint) => ModelSession
