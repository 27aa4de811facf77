/**
 * The work on documents in the parts in which it is done: each one transaction, or reading only. With
 * SQLite each part is a job of a thread, with PostgreSQL most run on the pool.
 */
import type { Connection } from '../../database.ts'
import type { DocumentStore } from '../document-store.ts'
import type { DocumentGlance } from '../records/glance.ts'
import { documentImports } from '../work/imports.ts'
import { documentJobs, type DocumentJobs } from '../work/jobs.ts'
import type { DocumentRecords } from '../records/records.ts'
import { documentRemoval, type DocumentRemoval } from '../records/removal.ts'
import type { DocumentSearching } from '../search/document-search.ts'
import { documentStaging, sliceMax } from '../work/staging.ts'

export type DocumentWrites = Pick<DocumentStore, 'insert' | 'retry' | 'stage' | 'complete'> &
  DocumentJobs &
  DocumentRemoval

/** What changes documents in this database. */
export function documentWrites(connection: Connection): DocumentWrites {
  return {
    ...documentImports(connection),
    ...documentJobs(connection),
    ...documentStaging(connection),
    ...documentRemoval(connection),
  }
}

export interface DocumentWork {
  readonly glance: DocumentGlance
  readonly writes: DocumentWrites
  readonly records: DocumentRecords
  readonly search: DocumentSearching
  /** Waits for what was asked for. */
  close(): Promise<void>
}

/** The store of documents, by whoever does the work on them. */
export function documentStore(work: DocumentWork): DocumentStore {
  const { glance, writes, records, search } = work
  return {
    ...writes,
    ...records,
    ...search,
    hasWork: () => glance.hasWork(),
    backlog: () => glance.backlog(),
    counts: async () => ((await glance.hasDocuments()) ? records.counts() : {}),
    async delete(id, viewer) {
      const hidden = await writes.hide(id, viewer)
      if (hidden === null) return null
      while ((await writes.purgeSome(hidden.row)) > 0) await passing()
      return { sha256: hidden.sha256 }
    },
    async stage(held, space, chunks) {
      for (let start = 0; start < chunks.length; start += sliceMax) {
        await writes.stage(held, space, chunks.slice(start, start + sliceMax))
      }
    },
    purgeSome: () => writes.purgeSome(null),
    reap: ({ now, attemptsMax, backoffMs }) =>
      writes.reap({
        now,
        attemptsMax,
        backoffsMs: Array.from({ length: attemptsMax }, (_each, index) => backoffMs(index + 1)),
      }),
    close: () => work.close(),
  }
}

/** A database in memory answers without ever leaving this thread: let it serve requests in between. */
function passing(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
