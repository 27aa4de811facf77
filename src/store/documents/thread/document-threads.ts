/**
 * Who does the work on documents. An SQLite file gets two threads: one writes, and the other reads and
 * searches, since WAL lets a reader see the last commit while a writer is at work, and no search has to
 * wait for an import. On PostgreSQL only the search has a thread, for the scan over the codes. A
 * database in memory cannot be shared between threads, so there the calling one does everything.
 */
import type { Database } from '../../database.ts'
import { JobThread } from '../../threads/job-thread.ts'
import { documentWrites, type DocumentWork, type DocumentWrites } from './document-work.ts'
import type { DocumentSource } from './document-worker.ts'
import { documentGlance } from '../records/glance.ts'
import { documentRecords, type DocumentRecords } from '../records/records.ts'
import { documentSearch, type DocumentSearching } from '../search/document-search.ts'

type Works = DocumentWrites & DocumentRecords & DocumentSearching

/** The work on the documents of this database. @param url of the database, for connections outside of the pool */
export function documentWork(database: Database, url: string): DocumentWork {
  const glance = documentGlance(database)
  if (database.engine === 'postgres') {
    const searching = threadFor({ engine: 'postgres', url })
    return {
      glance,
      writes: documentWrites(database),
      records: documentRecords(database),
      search: searchOn(searching),
      close: () => searching.close(),
    }
  }
  const { file } = database
  if (file === null) {
    return {
      glance,
      writes: documentWrites(database),
      records: documentRecords(database),
      search: documentSearch(database),
      close: async () => undefined,
    }
  }
  const [writing, reading] = [threadFor({ engine: 'sqlite', file }), threadFor({ engine: 'sqlite', file })]
  return {
    glance,
    writes: writesOn(writing),
    records: recordsOn(reading),
    search: searchOn(reading),
    async close() {
      await Promise.all([writing.close(), reading.close()])
    },
  }
}

function threadFor(source: DocumentSource): JobThread<Works> {
  return new JobThread<Works>({
    script: new URL('./document-worker.ts', import.meta.url),
    data: source,
    whenIdle: 'keep',
    form: 'objects',
    // A lease that is not renewed in time is lost, whatever else waits.
    urgent: 'renew',
  })
}

function writesOn(thread: JobThread<Works>): DocumentWrites {
  return {
    insert: (documents) => thread.run('insert', documents),
    retry: (id, viewer, now) => thread.run('retry', id, viewer, now),
    stage: (held, space, chunks) => thread.run('stage', held, space, chunks),
    complete: (held, completion, now) => thread.run('complete', held, completion, now),
    cancel: (id, viewer, now) => thread.run('cancel', id, viewer, now),
    claim: (query) => thread.run('claim', query),
    renew: (held, times) => thread.run('renew', held, times),
    fail: (held, failure, now) => thread.run('fail', held, failure, now),
    giveBack: (held, now) => thread.run('giveBack', held, now),
    reap: (query) => thread.run('reap', query),
    hide: (id, viewer) => thread.run('hide', id, viewer),
    purgeSome: (documentRow) => thread.run('purgeSome', documentRow),
  }
}

function recordsOn(thread: JobThread<Works>): DocumentRecords {
  return {
    get: (id, viewer) => thread.run('get', id, viewer),
    list: (query) => thread.run('list', query),
    chunks: (id, viewer, page) => thread.run('chunks', id, viewer, page),
    counts: () => thread.run('counts'),
    unreferenced: (blobs) => thread.run('unreferenced', blobs),
    found: (rows, viewer, window) => thread.run('found', rows, viewer, window),
  }
}

function searchOn(thread: JobThread<Works>): DocumentSearching {
  return {
    spaces: (viewer, filter) => thread.run('spaces', viewer, filter),
    find: (query) => thread.run('find', query),
  }
}
