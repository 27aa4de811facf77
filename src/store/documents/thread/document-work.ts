/**
 * The work on documents in the parts in which it is done: each one transaction, or reading only. With
 * SQLite each part is a job of a thread, with PostgreSQL most run on the pool.
 */
import type { DocumentStore } from '../document-store.ts'
import type { MoveStep, VectorChoice } from '../vector-places.ts'
import type { VectorMover } from '../places/vector-mover.ts'
import type { QueueStatus } from '../records/queue-status.ts'
import type { DocumentJobs } from '../work/jobs.ts'
import type { DocumentRecords } from '../records/records.ts'
import type { DocumentRemoval } from '../work/removal.ts'
import type { ChunkSearch } from '../search/document-search.ts'
import { sliceMax } from '../rows/chunk-row.ts'
import type { WordPacker } from '../work/packing.ts'

export type DocumentWrites = Pick<
  DocumentStore,
  'insert' | 'retry' | 'rename' | 'describe' | 'receive' | 'stage' | 'complete'
> &
  DocumentJobs &
  DocumentRemoval

export interface DocumentWork {
  readonly queue: QueueStatus
  readonly writes: DocumentWrites
  readonly records: DocumentRecords
  readonly search: ChunkSearch
  /** Long work, on a connection of its own. */
  readonly moving: VectorMover & WordPacker
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
    packWords: async () => ((await queue.hasUnpackedWords()) ? moving.packWords() : 0),
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
