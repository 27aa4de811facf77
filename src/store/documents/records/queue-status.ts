/**
 * How much work waits, read from a few pages of an index. It is asked on the database's own connection, so
 * that a server without documents never starts the threads that work on them.
 */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'
import type { DocumentStore } from '../document-store.ts'
import { pgvectorOf } from '../places/pgvector.ts'

export interface QueueStatus extends Pick<DocumentStore, 'hasWork' | 'backlog'> {
  /** There is a document, in any state. */
  hasDocuments(): Promise<boolean>
  /** Vectors are outside of the memory, or still to be removed from there. */
  hasPlacedVectors(): Promise<boolean>
  /** Chunks may be stored without their words. */
  hasUnpackedWords(): Promise<boolean>
  /** There is pgvector for them. */
  hasPgvector(): Promise<boolean>
}

export function queueStatus(connection: Connection): QueueStatus {
  const { kysely } = connection
  let isPacked = false
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
    async hasPlacedVectors() {
      const placed = kysely.selectFrom('chunk_sets').select('row').where('index_place', '>', sql.lit(0)).limit(1)
      const noted = kysely.selectFrom('vector_removals').select('set_row').limit(1)
      return [...(await placed.execute()), ...(await noted.execute())].length > 0
    },
    async hasUnpackedWords() {
      if (isPacked) return false
      const packing = await kysely.selectFrom('word_packing').select('done').executeTakeFirst()
      isPacked = packing?.done === 1
      return !isPacked
    },
    hasPgvector: async () => (await pgvectorOf(connection)) !== null,
    async backlog() {
      const { count } = await kysely
        .selectFrom('document_jobs')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}
