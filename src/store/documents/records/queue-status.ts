/**
 * How much work waits, read from a few pages of an index. It is asked on the database's own connection, so
 * that a server without documents never starts the threads that work on them.
 */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import type { DocumentStore } from '../document-store.ts'

export interface QueueStatus extends Pick<DocumentStore, 'hasWork' | 'backlog'> {
  /** There is a document, in any state. */
  hasDocuments(): Promise<boolean>
}

export function queueStatus({ kysely }: Connection): QueueStatus {
  const isThere = async (table: 'documents' | 'document_jobs' | 'chunk_sets'): Promise<boolean> => {
    let query = kysely
      .selectFrom(table)
      .select(sql<number>`1`.as('one'))
      .limit(1)
    if (table === 'chunk_sets') query = query.where(sql<boolean>`doomed = 1`)
    return (await query.executeTakeFirst()) !== undefined
  }
  return {
    hasDocuments: () => isThere('documents'),
    hasWork: async () => (await isThere('document_jobs')) || (await isThere('chunk_sets')),
    async backlog() {
      const { count } = await kysely
        .selectFrom('document_jobs')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}
