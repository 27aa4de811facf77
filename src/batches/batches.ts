/** What the handlers and the worker of batches work with. */
import type { ApiError } from '#errors/api-error.ts'
import type { Gateway } from '#gateway/gateway.ts'
import type { Caller } from '#identity/records.ts'
import type { Logger } from '#observe/log.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { BatchStore } from '#store/batches/batches.ts'
import type { AsyncStreams } from './lines/async-streams.ts'
import type { VectorStores } from './vector-stores/vector-stores.ts'
import type { Files } from './files/files.ts'

export interface Batches {
  readonly gateway: Gateway
  readonly files: Files
  readonly vectorStores: VectorStores
  readonly store: BatchStore
  readonly streams: AsyncStreams
  /** Whose rights the lines of a batch have at this moment; null: none any more. */
  readonly callerOf: (batch: Batch) => Caller | null
  /** The places that this process can read; null when there is no other process. */
  readonly places: () => Promise<readonly string[] | null>
  /** The time on which all processes on the database agree. */
  readonly now: () => Promise<number>
  /** What the machine has run out of, as the error that is answered; null for any other error. */
  readonly faultOf: (thrown: unknown) => ApiError | null
  readonly logger: Logger
  /** Wakes the worker of this process: there is work. */
  readonly wake: () => void
}
