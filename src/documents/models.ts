/** What documents need of the gateway's models; given by the composition root. */
import type { Caller } from '#identity/records.ts'

export interface DocumentModels {
  /** The model of a name or alias. Throws the ApiError of one that is unknown or forbidden. */
  resolve(name: string, caller: Caller): NamedModel
  mayUse(name: string, caller: Caller): boolean
  /** The active model with this id, or null. */
  byId(id: string): NamedModel | null
  /** Asks a model on the caller's account, as POST /ai/v1/chat/completions does. A 2xx, or a rejection with the ApiError. */
  chatCompletion(call: ModelCall): Promise<Response>
  /** The same for POST /ai/v1/embeddings. */
  embeddings(call: ModelCall): Promise<Response>
  /** The same for POST /ai/v1/rerank. */
  rerank(call: ModelCall): Promise<Response>
}

export interface NamedModel {
  readonly id: string
  /** Canonical. */
  readonly name: string
  /** Groups whose members may use it. */
  readonly groupIds: Iterable<string>
  /** Who serves it now: the provider's name of the model, and the provider's kind. */
  readonly upstreams: readonly { readonly name: string; readonly kind: string }[]
}

export interface ModelCall {
  readonly caller: Caller
  /** `realtime` when a request waits for the answer; traffic rules and in-flight limits depend on it. */
  readonly purpose: 'realtime' | 'batch'
  /** As a client would send it. */
  readonly body: object
  readonly signal: AbortSignal
}
