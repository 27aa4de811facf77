/** What the handlers of the documents work with; made in open-documents.ts. */
import type { LiveSettings } from '#config/settings/live-settings.ts'
import type { ByteBudget } from '#lib/byte-budget.ts'
import type { Clock } from '#lib/clock.ts'
import type { Logger } from '#observe/log.ts'
import type { Metrics } from '#observe/metrics.ts'
import type { DocumentStore } from '#store/documents/document-store.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { BlobUse } from './blobs/blob-use.ts'
import type { Spool } from './blobs/spool.ts'
import type { QueryEmbedding } from './embedders/embed-query.ts'
import type { ExternalReaders } from './external/external-readers.ts'
import type { DocumentModels } from './models.ts'
import type { OwnersDeps } from './owners.ts'
import type { Work } from './reading/protocol.ts'
import type { StorageHealth } from './storage-health.ts'
import type { UnpackedImport, UnpackWork } from './unpacking/unpack-import.ts'
import type { CompletionNotifier } from './work/completion-notifier.ts'

export type PageToDraw = Omit<Work<'render'>, 'directory'>

export interface Documents extends OwnersDeps {
  readonly settings: LiveSettings
  readonly store: DocumentStore
  readonly blobs: BlobStore
  /** Where new bytes go, to be recorded with a document; null when every process can read everything. */
  readonly place: () => Promise<string | null>
  /** The places that this process can read; null when there is no other process, which could not read them. */
  readonly places: () => Promise<readonly string[] | null>
  /** The time on which all processes on the database agree. */
  readonly now: () => Promise<number>
  /** Keeps the removal of abandoned bytes away from imports. */
  readonly blobUse: BlobUse
  readonly spool: Spool
  /** Whether the disk can be written. */
  readonly storage: StorageHealth
  /** Bounds the import requests in memory. */
  readonly budget: ByteBudget
  readonly models: DocumentModels
  /** Readers on other servers. */
  readonly external: ExternalReaders
  /** The vector of a question in the space of an embedder. Rejects with EmbedFailure. */
  readonly embedQuery: (query: QueryEmbedding) => Promise<Float32Array>
  /** The media type of a file, found out in a reading process. Rejects with ReadFailure, and with ReadingStopped. */
  readonly detectType: (path: string, name: string) => Promise<string>
  /** A page of a PDF as a PNG with a passage marked, drawn in a reading process. Rejects with ReadFailure, and with ReadingStopped. */
  readonly drawPage: (page: PageToDraw, signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>
  /** Takes a large import request apart in a reading process. Rejects with ReadFailure, and with ReadingStopped. */
  readonly unpack: (work: UnpackWork, signal: AbortSignal) => Promise<UnpackedImport>
  /** Wakes requests that wait for documents to end. */
  readonly notifier: CompletionNotifier
  /** Wakes the worker of this process: there is work. */
  readonly wake: () => void
  readonly metrics: Metrics
  readonly clock: Clock
  readonly logger: Logger
}
