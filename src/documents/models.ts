/** What documents need of the gateway's models; given by the composition root. */
import type { Caller } from '#identity/records.ts'
import type { OutgoingForm } from '#lib/outgoing-form.ts'
import type { Component } from '#store/documents/document-store.ts'

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
  /** The same for a form that POST /ai/v1/audio/transcriptions takes. */
  transcription(call: FormCall): Promise<Response>
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

interface Call {
  readonly caller: Caller
  /** `realtime` when a request waits for the answer; traffic rules and in-flight limits depend on it. */
  readonly purpose: 'realtime' | 'batch'
  readonly signal: AbortSignal
}

export interface ModelCall extends Call {
  /** As a client would send it. */
  readonly body: object
}

export interface FormCall extends Call {
  /** As a client would send it, `model` among its first fields. */
  readonly body: OutgoingForm
}

/** The transcription model that a document's reader has, by its record; null when it has none. */
export function transcriptionModelOf({ name, model, transcription_model: byDefault }: Component): string | null {
  const found = name === 'transcription' ? model : name === 'auto' ? byDefault : null
  return typeof found === 'string' ? found : null
}
