/**
 * Who does the work on documents. An SQLite file gets threads for writing, for reading records and for searching:
 * WAL lets a reader see the last commit while a writer is at work, so none of them waits for another. On PostgreSQL
 * only the search has threads, for the scan over the codes. A database in memory cannot be shared between threads, so
 * there the calling one does everything.
 */
import { availableParallelism } from 'node:os'
import { ownScript } from '#lib/own-scripts.ts'
import type { Database } from '../../database.ts'
import { JobThread } from '../../threads/job-thread.ts'
import { documentWrites, type DocumentWork, type DocumentWrites } from './document-work.ts'
import type { DocumentSource } from './document-worker.ts'
import { queueStatus } from '../records/queue-status.ts'
import { documentRecords, type DocumentRecords } from '../records/records.ts'
import { documentSearch, type ChunkSearch } from '../search/document-search.ts'
import { SearchThreads } from './search-threads.ts'

/** Each has the codes in its memory. */
const searchThreadsMax = 2

type Works = DocumentWrites & DocumentRecords & ChunkSearch

/** The jobs of a thread. A missing name is a type error below. */
const writeJobs = [
  'insert',
  'retry',
  'stage',
  'complete',
  'cancel',
  'claim',
  'renew',
  'fail',
  'release',
  'reap',
  'relocate',
  'removeRecord',
  'purgeSome',
] as const satisfies readonly (keyof DocumentWrites)[]
const recordJobs = [
  'get',
  'list',
  'chunks',
  'stretch',
  'counts',
  'unreferenced',
  'elsewhere',
  'hasOtherPlaces',
  'chunksInContext',
] as const satisfies readonly (keyof DocumentRecords)[]

export interface DocumentWorkOptions {
  /** The database's, for connections outside of the pool. */
  readonly url: string
  /** Where the search keeps codes for the next process; null keeps none. */
  readonly searchDirectory: string | null
}

/** The work on the documents of this database. */
export function documentWork(database: Database, { url, searchDirectory }: DocumentWorkOptions): DocumentWork {
  const queue = queueStatus(database)
  if (database.engine === 'postgres') {
    const searching = searchThreads({ engine: 'postgres', url, codes: { directory: searchDirectory, write: false } })
    return {
      queue,
      writes: documentWrites(database),
      records: documentRecords(database),
      search: searching.search(),
      close: () => searching.close(),
    }
  }
  const { file } = database
  if (file === null) {
    return {
      queue,
      writes: documentWrites(database),
      records: documentRecords(database),
      search: documentSearch(database, { follow: false, files: { directory: null, write: false } }).search,
      close: async () => undefined,
    }
  }
  const source: DocumentSource = { engine: 'sqlite', file, codes: { directory: searchDirectory, write: false } }
  const [writing, reading, searching] = [threadFor(source), threadFor(source), searchThreads(source)]
  return {
    queue,
    writes: writing.jobs(writeJobs),
    records: reading.jobs(recordJobs),
    search: searching.search(),
    async close() {
      await Promise.all([writing.close(), reading.close(), searching.close()])
    },
  }
}

function searchThreads(source: DocumentSource): SearchThreads {
  const count = Math.min(searchThreadsMax, availableParallelism())
  // All of them read the codes that the first one writes.
  return new SearchThreads(count, (index) => threadFor({ ...source, codes: { ...source.codes, write: index === 0 } }))
}

function threadFor(source: DocumentSource): JobThread<Works> {
  return new JobThread<Works>({
    script: ownScript('store/documents/thread/document-worker.ts'),
    data: source,
    whenIdle: 'keep',
    form: 'objects',
    // A lease that is not renewed in time is lost, so renewals come before other jobs.
    urgent: 'renew',
  })
}
