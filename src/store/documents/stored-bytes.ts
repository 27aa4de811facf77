/**
 * The raw bytes of documents as rows of PostgreSQL, in parts, so that neither side ever holds a file in memory. What
 * they mean is in src/documents/blobs.
 */
import { sql, type Kysely } from 'kysely'
import type { Database } from '../database.ts'
import type { BytesAddress } from '../referenced-bytes.ts'
import type { Tables } from '../schema.ts'

export interface StoredBytes {
  /** Stores one part, or all of several or none. Does nothing when they are there already. */
  write(address: BytesAddress, pieces: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** A part, from 0; null after the last, and when nothing is stored. */
  part(address: BytesAddress, part: number): Promise<Uint8Array | null>
  remove(address: BytesAddress): Promise<void>
  listOf(id: string): Promise<readonly BytesAddress[]>
  /** The next ones in the order of their addresses; `after` null begins. */
  list(after: BytesAddress | null, limit: number): Promise<readonly BytesAddress[]>
}

/** The bytes in this database, which is PostgreSQL. Each piece becomes a part. */
export function storedBytes({ kysely }: Pick<Database, 'kysely'>): StoredBytes {
  const addresses = kysely.selectFrom('document_bytes').select(['document_id as id', 'sha256']).where('part', '=', 0)
  return {
    async write({ id, sha256 }, pieces) {
      const insert = (on: Kysely<Tables>, part: number, bytes: Uint8Array): Promise<unknown> =>
        on
          .insertInto('document_bytes')
          .values({ document_id: id, sha256, part, bytes })
          // Another process stores the same bytes: this waits for it, and goes on if it fails.
          .onConflict((conflict) => conflict.columns(['document_id', 'sha256', 'part']).doNothing())
          .execute()
      if (pieces instanceof Uint8Array) return void (await insert(kysely, 0, pieces))
      const [known] = await addresses.where('document_id', '=', id).where('sha256', '=', sha256).execute()
      if (known !== undefined) return
      await kysely.transaction().execute(async (trx) => {
        let part = 0
        for await (const piece of pieces) {
          await insert(trx, part, piece)
          part += 1
        }
      })
    },
    async part({ id, sha256 }, part) {
      const row = await kysely
        .selectFrom('document_bytes')
        .select('bytes')
        .where('document_id', '=', id)
        .where('sha256', '=', sha256)
        .where('part', '=', part)
        .executeTakeFirst()
      return row?.bytes ?? null
    },
    async remove({ id, sha256 }) {
      await kysely.deleteFrom('document_bytes').where('document_id', '=', id).where('sha256', '=', sha256).execute()
    },
    listOf: (id) => addresses.where('document_id', '=', id).execute(),
    list: (after, limit) =>
      (after === null
        ? addresses
        : addresses.where(sql<boolean>`(document_id, sha256) > (${after.id}, ${after.sha256})`)
      )
        .orderBy('document_id')
        .orderBy('sha256')
        .limit(limit)
        .execute(),
  }
}
