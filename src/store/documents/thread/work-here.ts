/** The work on documents by the thread that calls it. The code of it is large, so a thread that has others do it does not import this. */
import type { Connection } from '../../database.ts'
import { documentDescribing } from '../work/describing.ts'
import { documentImports } from '../work/imports.ts'
import { documentJobs } from '../work/jobs.ts'
import { documentRemoval } from '../work/removal.ts'
import { wordPacker } from '../work/packing.ts'
import { documentReceiving } from '../work/receiving.ts'
import { documentStaging } from '../work/staging.ts'
import { qdrantIndex, qdrantKeeper } from '../places/qdrant.ts'
import { vectorMover } from '../places/vector-mover.ts'
import { documentRecords } from '../records/records.ts'
import { documentSearch } from '../search/document-search.ts'
import type { QdrantAddress } from '../vector-places.ts'
import type { DocumentWork, DocumentWrites } from './document-work.ts'

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

/** Changing and reading documents. */
export function writesAndRecords(connection: Connection): Pick<DocumentWork, 'writes' | 'records'> {
  return { writes: documentWrites(connection), records: documentRecords(connection) }
}

/** Everything, for a database that no other thread can open. */
export function allWork(
  connection: Connection,
  qdrant: QdrantAddress | null,
): Pick<DocumentWork, 'writes' | 'records' | 'search' | 'moving'> {
  const places = qdrant === null ? [] : [qdrantIndex(qdrant)]
  return {
    ...writesAndRecords(connection),
    search: documentSearch(connection, { follow: false, files: { directory: null, write: false }, places }).search,
    moving: { ...vectorMover(connection, qdrant === null ? [] : [qdrantKeeper(qdrant)]), ...wordPacker(connection) },
  }
}
