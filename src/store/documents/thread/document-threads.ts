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
import type { DocumentWork, DocumentWrites } from './document-work.ts'
import type { DocumentSource } from './document-worker.ts'
import { queueStatus } from '../records/queue-status.ts'
import type { DocumentRecords } from '../records/records.ts'
import type { QdrantAddress } from '../vector-places.ts'
import type { VectorMover } from '../places/vector-mover.ts'
import { storedSpaces } from '../search/code-file.ts'
import type { ChunkSearch } from '../search/document-search.ts'
import type { WordPacker } from '../work/packing.ts'
import { SearchThreads } from './search-threads.ts'

/** Each has the codes in its memory. */
const searchThreadsMax = 2

type Works = DocumentWrites & DocumentRecords & ChunkSearch & VectorMover & WordPacker

/** The jobs of a thread. A missing name is a type error below. */
const writeJobs = [
  'insert',
  'retry',
  'rename',
  'describe',
  'receive',
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
  'idsOfSources',
  'manifest',
  'metadataKeys',
] as const satisfies readonly (keyof DocumentRecords)[]

const moveJobs = ['step', 'placed', 'packWords'] as const satisfies readonly (keyof (VectorMover & WordPacker))[]

export interface DocumentWorkOptions {
  /** The database's, for connections outside of the pool. */
  readonly url: string
  /** Where the search keeps codes for the next process; null keeps none. */
  readonly searchDirectory: string | null
  /** A server for vectors; null when there is none. */
  readonly qdrant: QdrantAddress | null
}

/** The work on the documents of this database. A process loads the code of what it does itself, and no other. */
export async function documentWork(
  database: Database,
  { url, searchDirectory, qdrant }: DocumentWorkOptions,
): Promise<DocumentWork> {
  const queue = queueStatus(database)
  const shared = { codes: { directory: searchDirectory, write: false }, qdrant }
  if (database.engine === 'postgres') {
    const { writesAndRecords } = await import('./work-here.ts')
    const source: DocumentSource = { engine: 'postgres', url, ...shared }
    const [moving, searching] = [threadFor(source), searchThreads(source)]
    return {
      queue,
      ...writesAndRecords(database),
      search: searchOf(searching, searchDirectory),
      moving: moving.jobs(moveJobs),
      async close() {
        await Promise.all([moving.close(), searching.close()])
      },
    }
  }
  const { file } = database
  if (file === null) {
    const { allWork } = await import('./work-here.ts')
    return { queue, ...allWork(database, qdrant), close: async () => undefined }
  }
  const source: DocumentSource = { engine: 'sqlite', file, ...shared }
  const [writing, reading, moving] = [threadFor(source), threadFor(source), threadFor(source)]
  const searching = searchThreads(source)
  return {
    queue,
    writes: writing.jobs(writeJobs),
    records: reading.jobs(recordJobs),
    search: searchOf(searching, searchDirectory),
    moving: moving.jobs(moveJobs),
    async close() {
      await Promise.all([writing, reading, moving, searching].map((thread) => thread.close()))
    },
  }
}

function searchThreads(source: DocumentSource): SearchThreads {
  const count = Math.min(searchThreadsMax, availableParallelism())
  // All of them read the codes that the first one writes.
  return new SearchThreads(count, (index) => threadFor({ ...source, codes: { ...source.codes, write: index === 0 } }))
}

/** A process that finds nothing to fill its memory with starts no thread for it. */
function searchOf(searching: SearchThreads, directory: string | null): ChunkSearch {
  const search = searching.search()
  if (storedSpaces(directory).length > 0) return search
  return { ...search, fillSearch: async () => undefined }
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
