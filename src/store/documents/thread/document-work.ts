/**
 * The work on documents in the parts in which it is done: each one transaction, or reading only. With
 * SQLite each part is a job of a thread, with PostgreSQL most run on the pool.
 */
import type { Connection } from '../../database.ts'
import type { DocumentStore } from '../document-store.ts'
import type { MoveStep, VectorChoice } from '../vector-places.ts'
import type { VectorMover } from '../places/vector-mover.ts'
import type { QueueStatus } from '../records/queue-status.ts'
import { documentImports } from '../work/imports.ts'
import { documentJobs, type DocumentJobs } from '../work/jobs.ts'
import { documentDescribing } from '../work/describing.ts'
import type { DocumentRecords } from '../records/records.ts'
import { documentRemoval, type DocumentRemoval } from '../work/removal.ts'
import type { ChunkSearch } from '../search/document-search.ts'
import { documentReceiving } from '../work/receiving.ts'
import { documentStaging, sliceMax } from '../work/staging.ts'

export type DocumentWrites = Pick<
  DocumentStore,
  'insert' | 'retry' | 'rename' | 'describe' | 'receive' | 'stage' | 'complete'
> &
  DocumentJobs &
  DocumentRemoval

/** What changes documents in this database. */
export function documentWrites(connection: Connection): DocumentWrites {
  return {
    ...documentImports(connection),
    ...documentDescribing(connection),
    ...documentJobs(connection),
    ...documentReceiving(connection),
    ...documentStaging(connection),
    ...documentRemoval(connection),
  }
}

export interface DocumentWork {
  readonly queue: QueueStatus
  readonly writes: DocumentWrites
  readonly records: DocumentRecords
  readonly search: ChunkSearch
  readonly moving: VectorMover
  /** Waits for what was asked for. */
  close(): Promise<void>
}

/** The store of documents, over the parts that do its work. */
export function documentStore(work: DocumentWork): DocumentStore {
  const { queue, writes, records, search, moving } = work
  return {
    ...writes,
    ...records,
    ...search,
    moveVectors: (choice) => moveVectors(work, choice),
    placedVectors: () => moving.placed(),
    hasWork: () => queue.hasWork(),
    backlog: () => queue.backlog(),
    counts: async () => ((await queue.hasDocuments()) ? records.counts() : {}),
    async delete(id, viewer) {
      const removed = await writes.removeRecord(id, viewer)
      if (removed === null) return null
      while ((await writes.purgeSome(removed.row)) > 0) await passing()
      return { sha256: removed.sha256 }
    },
    async stage(lease, space, chunks) {
      for (let start = 0; start < chunks.length; start += sliceMax) {
        await writes.stage(lease, space, chunks.slice(start, start + sliceMax))
      }
    },
    purgeSome: () => writes.purgeSome(null),
    reap: ({ now, crashesMax, backoffMs }) =>
      writes.reap({
        now,
        crashesMax,
        backoffsMs: Array.from({ length: crashesMax }, (_each, index) => backoffMs(index + 1)),
      }),
    close: () => work.close(),
  }
}

/** A server that has all vectors in memory, as most do, never starts the thread that moves them. */
async function moveVectors({ queue, moving }: DocumentWork, choice: VectorChoice): Promise<MoveStep> {
  const inMemory = choice === 'memory' || (choice === 'auto' && !(await queue.hasPgvector()))
  if (!inMemory || (await queue.hasPlacedVectors())) return moving.step(choice)
  return { target: 'memory', sets: 0, busy: false, refusal: null }
}

/** A database in memory answers without ever leaving this thread: let it serve requests in between. */
function passing(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
