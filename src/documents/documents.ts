/** What the handlers of the documents work with; made in app.ts. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { Caller } from '#identity/records.ts'
import type { ByteBudget } from '#lib/byte-budget.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { Component, DocumentStore } from '#store/documents/document-store.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { Spool } from './blobs/spool.ts'
import type { OwnersDeps } from './owners.ts'
import type { Endings } from './work/endings.ts'

/** What documents need of the gateway's models; each call is made on the caller's account. */
export interface DocumentModels {
  /** The model of a name or alias. Throws the ApiError of one that is unknown or forbidden. */
  resolve(name: string, caller: Caller): { readonly id: string; readonly name: string }
  mayUse(name: string, caller: Caller): boolean
  /** What a multimodal model writes about a picture. Rejects with the ApiError of the call. */
  describe(picture: PictureCall): Promise<string>
}

export interface PictureCall {
  readonly model: string
  readonly caller: Caller
  readonly prompt: string
  readonly picture: { readonly bytes: Uint8Array; readonly mediaType: string }
  readonly signal: AbortSignal
}

export interface EmbedQuery {
  /** The embedder as the documents' records name it. */
  readonly component: Component
  readonly caller: Caller
  readonly text: string
  readonly dimensions: number
  readonly signal: AbortSignal
}

export interface Documents extends OwnersDeps {
  readonly settings: LiveSettings
  readonly store: DocumentStore
  readonly blobs: BlobStore
  readonly spool: Spool
  /** Of import requests that are in memory. */
  readonly budget: ByteBudget
  readonly models: DocumentModels
  /** The vector of a question in the space of an embedder. Rejects with EmbedFailure. */
  readonly embedQuery: (query: EmbedQuery) => Promise<Float32Array>
  /** The media type of a file, found out in a reading process. Rejects with ReadFailure, and with ReadingStopped. */
  readonly detectType: (path: string, name: string) => Promise<string>
  /** Tells waiting requests of documents that have ended here. */
  readonly endings: Endings
  /** Tells the worker of this process that there is work. */
  readonly wake: () => void
  readonly metrics: Metrics
  readonly clock: Clock
  readonly logger: Logger
}
