/**
 * Vector stores of accounts, and the files in them. A file in a store has a document of its own, whose category is the
 * id of the store: how far it is, the document's row says. What has no row here is never found in a store.
 */
import { sql } from 'kysely'
import type { Connection } from '../database.ts'
import { plainText, plainTextOrNull } from '../documents/plain-text.ts'
import { isOneOf } from '../documents/statements.ts'
import type { VectorStoresTable } from '../schema.ts'
import { beyond, cancelledCode, fileRows, fromFiles, inOrder, ordered, statusAt } from './vector-store-files.ts'
import type { FileStatus, VectorStoreRecord, VectorStoreStore } from './vector-store-records.ts'

/** How exact the time of the last use is. */
const touchedEveryMs = 60_000
const dayMs = 86_400_000

/** The vector stores of this database. */
export function vectorStoreStore(connection: Connection): VectorStoreStore {
  return { ...storeRows(connection), ...storeUse(connection), ...fileRows(connection), ...batchRows(connection) }
}

type StoreRows = Pick<VectorStoreStore, 'insert' | 'find' | 'list' | 'update' | 'markDeleted' | 'forget'>

function storeRows({ kysely }: Connection): StoreRows {
  return {
    async insert(store) {
      await kysely
        .insertInto('vector_stores')
        .values({
          id: store.id,
          user_id: store.userId,
          ...columnsOf(store),
          description: plainTextOrNull(store.description),
          created_at: store.createdAt,
          last_active_at: store.lastActiveAt,
          deleted_at: null,
        })
        .execute()
    },
    async find(id) {
      const row = await kysely
        .selectFrom('vector_stores')
        .selectAll()
        .where('id', '=', plainText(id))
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return row === undefined ? null : recordOf(row)
    },
    async list(userId, page) {
      const { rows } = await sql<VectorStoresTable>`
        select * from vector_stores where user_id = ${userId} and deleted_at is null
          and ${beyond(sql`vector_stores where user_id = ${userId}`, 'id', page)}
        ${ordered('id', page)}`.execute(kysely)
      return inOrder(rows.map(recordOf), page)
    },
    async update(id, change) {
      const columns = columnsOf(change)
      if (Object.keys(columns).length > 0)
        await kysely.updateTable('vector_stores').set(columns).where('id', '=', id).execute()
    },
    async markDeleted(id, now) {
      const { numUpdatedRows } = await kysely
        .updateTable('vector_stores')
        .set({ deleted_at: now })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async forget(id) {
      await kysely.deleteFrom('vector_store_batches').where('store_id', '=', id).execute()
      await kysely.deleteFrom('vector_stores').where('id', '=', id).execute()
    },
  }
}

/** How stores are used, how full they are, and which are over. */
function storeUse({ engine, kysely }: Connection): Pick<VectorStoreStore, 'touch' | 'counts' | 'over'> {
  return {
    async touch(ids, now) {
      await kysely
        .updateTable('vector_stores')
        .set({ last_active_at: now })
        .where(isOneOf(engine, 'id', ids))
        .where('last_active_at', '<', now - touchedEveryMs)
        .execute()
    },
    async counts(ids, now) {
      const { rows } = await sql<{ id: string; status: FileStatus; files: number; bytes: number | null }>`
        select store_id as id, ${statusAt(now)} as status, count(*) as files, sum(documents.bytes) as bytes
        ${fromFiles} where ${isOneOf(engine, 'store_id', ids)} group by store_id, ${statusAt(now)}`.execute(kysely)
      const byStore = Map.groupBy(rows, ({ id }) => id)
      return new Map(ids.map((id) => [id, countsOf(byStore.get(id) ?? [])]))
    },
    async over(now, limit) {
      const { rows } = await sql<{ readonly id: string; readonly expired: number }>`
        select id, case when deleted_at is null and (user_id = 'operator' or exists (
            select 1 from users where users.id = vector_stores.user_id)) then 1 else 0 end as expired
        from vector_stores
        where deleted_at is not null
          or (user_id <> 'operator' and not exists (select 1 from users where users.id = vector_stores.user_id))
          or (last_active_at + ${sql.lit(dayMs)} * cast(expires_days as bigint) <= ${now}
            and exists (select 1 from vector_store_files where store_id = vector_stores.id))
        limit ${limit}`.execute(kysely)
      return rows.map(({ id, expired }) => ({ id, isExpired: Number(expired) === 1 }))
    },
  }
}

function batchRows({ kysely }: Connection): Pick<VectorStoreStore, 'insertBatch' | 'batch' | 'cancelBatch'> {
  return {
    async insertBatch({ id, storeId, createdAt, cancelledAt }) {
      const row = { id, store_id: storeId, created_at: createdAt, cancelled_at: cancelledAt }
      await kysely.insertInto('vector_store_batches').values(row).execute()
    },
    async batch(id) {
      const row = await kysely
        .selectFrom('vector_store_batches')
        .selectAll()
        .where('id', '=', plainText(id))
        .executeTakeFirst()
      if (row === undefined) return null
      return { id: row.id, storeId: row.store_id, createdAt: row.created_at, cancelledAt: row.cancelled_at }
    },
    async cancelBatch(id, now) {
      await kysely
        .updateTable('vector_store_batches')
        .set({ cancelled_at: now })
        .where('id', '=', id)
        .where('cancelled_at', 'is', null)
        .execute()
      await kysely
        .updateTable('vector_store_files')
        .set({ pending: 0, error_code: cancelledCode, error_message: '' })
        .where('batch_id', '=', id)
        .where('pending', '=', 1)
        .execute()
    },
  }
}

function columnsOf(change: Parameters<VectorStoreStore['update']>[1]) {
  const { name, metadata, expiresDays } = change
  return {
    ...(name !== undefined && { name: plainTextOrNull(name) }),
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    ...(expiresDays !== undefined && { expires_days: expiresDays }),
  } as { name: string | null; metadata: string; expires_days: number | null }
}

function recordOf(row: VectorStoresTable): VectorStoreRecord {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    description: row.description,
    metadata: JSON.parse(row.metadata) as Readonly<Record<string, string>>,
    expiresDays: row.expires_days,
    createdAt: Number(row.created_at),
    lastActiveAt: Number(row.last_active_at),
  }
}

function countsOf(
  rows: readonly { readonly status: FileStatus; readonly files: number; readonly bytes: number | null }[],
) {
  const of = (status: FileStatus) => rows.find((row) => row.status === status)
  const count = (status: FileStatus): number => Number(of(status)?.files ?? 0)
  return {
    in_progress: count('in_progress'),
    completed: count('completed'),
    cancelled: count('cancelled'),
    failed: count('failed'),
    bytes: Number(of('completed')?.bytes ?? 0),
  }
}
