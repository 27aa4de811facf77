/**
 * A thread that works on documents, with a connection of its own: to an SQLite file for everything, to
 * PostgreSQL for the search. The main thread starts it with what to open as its data.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openPostgres } from '../../engines/postgres.ts'
import { openSqliteBeside } from '../../engines/sqlite.ts'
import { serveJobs, type OpenedJobs } from '../../threads/job-worker.ts'
import { documentWrites } from './document-work.ts'
import { documentRecords } from '../records/records.ts'
import { documentSearch } from '../search/document-search.ts'
import type { CodeFiles } from '../search/memory-index.ts'

/** What such a thread opens. */
export type DocumentSource =
  | ({ readonly engine: 'sqlite'; readonly file: string } & Searching)
  | ({ readonly engine: 'postgres'; readonly url: string } & Searching)

interface Searching {
  /** Where a search keeps its codes for the next process. */
  readonly codes: CodeFiles
}

function open(source: DocumentSource): OpenedJobs {
  const connection =
    source.engine === 'sqlite'
      ? openSqliteBeside(source.file, 'full')
      : openPostgres({ url: source.url, poolMax: 1, patient: false })
  const database = { engine: source.engine, kysely: connection.kysely }
  const searching = documentSearch(database, { follow: true, files: source.codes })
  return {
    jobs: { ...documentWrites(database), ...documentRecords(database), ...searching.search },
    async close() {
      await searching.close()
      await connection.close()
    },
  }
}

if (parentPort !== null) serveJobs(parentPort, () => open(workerData as DocumentSource))
