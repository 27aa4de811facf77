/**
 * A thread that works on documents, with a connection of its own: to an SQLite file for everything, to
 * PostgreSQL for the search. The main thread starts it with what to open as its data.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { EngineConnection } from '../../engines/engine-connection.ts'
import { openPostgres } from '../../engines/postgres.ts'
import { openSqliteBeside } from '../../engines/sqlite.ts'
import { serveJobs, type OpenedJobs } from '../../threads/job-worker.ts'
import { writesAndRecords } from './work-here.ts'
import type { QdrantAddress } from '../vector-places.ts'
import { pgvectorKeeper } from '../places/pgvector.ts'
import { pgvectorIndex } from '../places/pgvector-index.ts'
import { qdrantIndex, qdrantKeeper } from '../places/qdrant.ts'
import { vectorMover, type VectorMover } from '../places/vector-mover.ts'
import { documentSearch } from '../search/document-search.ts'
import type { CodeFiles } from '../search/memory-index.ts'
import { wordPacker, type WordPacker } from '../work/packing.ts'

/** What such a thread opens. */
export type DocumentSource =
  | ({ readonly engine: 'sqlite'; readonly file: string } & Searching)
  | ({ readonly engine: 'postgres'; readonly url: string } & Searching)

interface Searching {
  /** Where a search keeps its codes for the next process. */
  readonly codes: CodeFiles
  /** A server for vectors; null when there is none. */
  readonly qdrant: QdrantAddress | null
}

function open(source: DocumentSource): OpenedJobs {
  const { qdrant, codes } = source
  const connection = connectionTo(source, false)
  const database = { engine: source.engine, kysely: connection.kysely }
  const places = [...(source.engine === 'postgres' ? [pgvectorIndex()] : []), ...(qdrant ? [qdrantIndex(qdrant)] : [])]
  const { writes, records } = writesAndRecords(database)
  const searching = documentSearch(database, { follow: true, files: codes, places })
  const moving = openMoving(source)
  return {
    jobs: { ...writes, ...records, ...searching.search, ...moving.mover },
    async close() {
      await searching.close()
      await moving.close()
      await connection.close()
    },
  }
}

function connectionTo(source: DocumentSource, patient: boolean) {
  return source.engine === 'sqlite'
    ? openSqliteBeside(source.file, 'full')
    : openPostgres({ url: source.url, poolMax: 1, patient })
}

type Mover = VectorMover & WordPacker

/** Moves vectors and packs words on a connection that is made when it is needed, since making an index takes long. */
function openMoving(source: DocumentSource): { readonly mover: Mover; close(): Promise<void> } {
  let opened: { readonly connection: EngineConnection; readonly mover: Mover } | null = null
  const mover = (): Mover => {
    if (opened !== null) return opened.mover
    const connection = connectionTo(source, true)
    const database = { engine: source.engine, kysely: connection.kysely }
    const keepers = [
      ...(source.engine === 'postgres' ? [pgvectorKeeper(database)] : []),
      ...(source.qdrant ? [qdrantKeeper(source.qdrant)] : []),
    ]
    opened = { connection, mover: { ...vectorMover(database, keepers), ...wordPacker(database) } }
    return opened.mover
  }
  return {
    mover: {
      step: (target) => mover().step(target),
      placed: () => mover().placed(),
      packWords: () => mover().packWords(),
    },
    close: async () => opened?.connection.close(),
  }
}

if (parentPort !== null) serveJobs(parentPort, () => open(workerData as DocumentSource))
