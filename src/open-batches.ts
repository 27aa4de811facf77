/** The files' and batches' part of the composition root. */
import type { Batches } from '#batches/batches.ts'
import { removeExpired } from '#batches/files/file-handlers.ts'
import { fileFinder } from '#batches/files/find-file.ts'
import type { Files } from '#batches/files/files.ts'
import { FileAdder } from '#batches/vector-stores/file-adder.ts'
import { removeFromAll, removeOver } from '#batches/vector-stores/remove-files.ts'
import { searchStores } from '#batches/vector-stores/search-stores.ts'
import { AsyncStreams } from '#batches/lines/async-streams.ts'
import { BatchWorker } from '#batches/run/batch-worker.ts'
import { callerLookup } from '#documents/callers.ts'
import type { Documents } from '#documents/documents.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Gateway } from '#gateway/gateway.ts'
import type { Caller } from '#identity/records.ts'
import type { Leader } from '#replica/leader.ts'
import type { LiveState } from '#replica/live-state.ts'
import type { Batch } from '#store/batches/batch-row.ts'
import type { Store } from '#store/store.ts'
import { operator } from './authorize.ts'
import type { OpenDocuments } from './open-documents.ts'

export interface OpenBatchesOptions {
  readonly store: Store
  readonly state: LiveState
  readonly gateway: Gateway
  /** Whose blob store the files are in. */
  readonly documents: Documents
}

export interface OpenBatches {
  readonly batches: Batches
  /** Begins to work on what is there, before any request is taken; the first batch does so too. */
  start(): void
}

const removedAtOnce = 100
const resultsAtOnce = 500
const dayMs = 86_400_000

/** What the account has stored and requests of the gateway ask for: documents by a search, files by their ids. */
export function contentOf(
  { files, vectorStores }: Store,
  { retrieve, documents }: OpenDocuments,
  { clock }: Gateway,
): Pick<Gateway, 'retrieve' | 'findFile' | 'searchFiles'> {
  const { blobs } = documents
  const stores = { store: vectorStores, documents, clock }
  return {
    retrieve,
    findFile: fileFinder({ files, blobs, clock }),
    searchFiles: ({ spec: { filter, ...spec }, ...query }) =>
      searchStores(stores, { ...spec, filter: filter ?? undefined, ...query }),
  }
}

/** What is opened here is closed with `opening`, in reverse. */
export function openBatches(
  { store, state, gateway, documents }: OpenBatchesOptions,
  opening: AsyncDisposableStack,
): OpenBatches {
  const { settings, clock, logger } = gateway
  const { blobs, blobUse, place, places, spool, storage, now } = documents
  const { files: rows, uploads, batches: lines } = store
  const attached = { store: store.vectorStores, documents }
  const detach = (ids: readonly string[]): Promise<void> => removeFromAll(attached, ids)
  const files: Files = { settings, files: rows, uploads, batches: lines, blobs, blobUse, place, spool, clock, detach }
  const working = opening.use(new AsyncDisposableStack())
  const accountOf = callerLookup(state.directory, operator)
  const callerOf = (userId: string): Caller | null => accountOf(userId)
  const adding = working.use(new FileAdder({ ...attached, files, clock, callerOf, logger }))
  let worker: BatchWorker | null = null
  const batches: Batches = {
    gateway,
    files,
    vectorStores: { files, clock, adding, ...attached },
    store: store.batches,
    streams: opening.use(new AsyncStreams(store.batches, logger)),
    callerOf: callerOfBatch(state, gateway),
    places,
    now,
    faultOf: (thrown) => {
      const fault = storage.note(thrown)
      return fault === null ? null : new ApiError(fault, { cause: thrown })
    },
    logger,
    wake: () => {
      worker ??= working.use(new BatchWorker(batches, store.replicas === null))
      worker.wake()
    },
  }
  return {
    batches,
    start() {
      batches.wake()
      adding.wake()
    },
  }
}

/** The account and the key of a batch as they are now. */
function callerOfBatch({ directory }: LiveState, gateway: Gateway): (batch: Batch) => Caller | null {
  const accountOf = callerLookup(directory, operator)
  return ({ userId, keyId }) => {
    const owner = accountOf(userId)
    if (owner === null || owner === operator) return owner
    const key = keyId === null ? null : directory.key(keyId)
    return key === undefined ? null : gateway.callerNow({ ...owner, key })
  }
}

/** Removes what nobody needs any longer, in one process for all. */
export function batchUpkeep(
  { store }: Pick<OpenBatchesOptions, 'store'>,
  { batches }: OpenBatches,
  leader: Leader,
): () => Promise<void> {
  const { files, gateway } = batches
  return async () => {
    await leader.run('removing files and batches', async () => {
      while ((await store.batches.purgeResults(resultsAtOnce)) > 0);
      const days = gateway.settings.get('batches.retention_days')
      while ((await store.batches.purgeBefore(gateway.clock.now() - days * dayMs, removedAtOnce)) > 0);
      while ((await removeExpired(files, removedAtOnce)) > 0);
      // What a process that was killed had claimed.
      batches.vectorStores.adding.wake()
      while ((await removeOver(batches.vectorStores, gateway.clock.now())) > 0);
      while ((await store.uploads.purge(gateway.clock.now(), removedAtOnce)) > 0);
    })
  }
}
