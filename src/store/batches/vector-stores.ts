/**
 * Vector stores of accounts, and the files in them. A file in a store has a document of its own, whose category is the
 * id of the store: how far it is, the document's row says. What has no row here is never found in a store.
 */
import { sql } from 'kysely'
import type { Connection } from '../database.ts'
import { plainText, plainTextOrNull } from '../documents/plain-text.ts'
import { isOneOf } from '../documents/statements.ts'
import type { VectorStoresTable } from '../schema.ts'
import { beyond, fileRows, fromFiles, inOrder, ordered, statusAt } from './vector-store-files.ts'

export interface VectorStoreRecord {
  readonly id: string
  readonly userId: string
  readonly name: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** Days without use after which it expires; null for never. */
  readonly expiresDays: number | null
  readonly createdAt: number
  readonly lastActiveAt: number
}

export const fileStatuses = ['in_progress', 'completed', 'cancelled', 'failed'] as const
export type FileStatus = (typeof fileStatuses)[number]

export interface NewStoreFile {
  readonly storeId: string
  readonly fileId: string
  /** Of the document that is made of it. */
  readonly documentId: string
  readonly batchId: string | null
  readonly attributes: Readonly<Record<string, string | number | boolean>> | null
  readonly chunking: { readonly units: number; readonly overlap: number }
  readonly createdAt: number
}

export interface StoreFile extends NewStoreFile {
  readonly status: FileStatus
  readonly error: { readonly code: string; readonly message: string } | null
  readonly bytes: number
}

/** How many files have each status, and the bytes of those that are completed. */
export type StoreCounts = Readonly<Record<FileStatus, number>> & { readonly bytes: number }

export interface StoreBatch {
  readonly id: string
  readonly storeId: string
  readonly createdAt: number
  readonly cancelledAt: number | null
}

/** A page in the order of creation: the rows behind `after`, or before `before`, which are ids. */
export interface StorePage {
  readonly limit: number
  readonly descending: boolean
  readonly after: string | null
  readonly before: string | null
}

export interface VectorStoreStore {
  insert(store: VectorStoreRecord): Promise<void>
  /** Null for one that is deleted. */
  find(id: string): Promise<VectorStoreRecord | null>
  list(userId: string, page: StorePage): Promise<readonly VectorStoreRecord[]>
  update(id: string, change: Partial<Pick<VectorStoreRecord, 'name' | 'metadata' | 'expiresDays'>>): Promise<void>
  /** They are in use. */
  touch(ids: readonly string[], now: number): Promise<void>
  counts(ids: readonly string[], now: number): Promise<ReadonlyMap<string, StoreCounts>>
  /** Nothing finds it from now on; its files are still to be removed. False when there is none. */
  markDeleted(id: string, now: number): Promise<boolean>
  /** Removes the row of a store that has no files any more. */
  forget(id: string): Promise<void>
  /** Stores that are deleted, have expired, or whose account is gone, as far as there is something to remove. */
  over(now: number, limit: number): Promise<readonly { readonly id: string; readonly isExpired: boolean }[]>
  /** Adds files; those that are there already stay as they are. Returns those that were added, by their ids. */
  addFiles(files: readonly NewStoreFile[]): Promise<ReadonlySet<string>>
  /** The document that a file has, for one whose content another file of the store has already. */
  relate(file: Pick<NewStoreFile, 'storeId' | 'fileId'>, documentId: string): Promise<boolean>
  failFile(
    file: Pick<NewStoreFile, 'storeId' | 'fileId'>,
    error: { readonly code: string; readonly message: string },
  ): Promise<void>
  file(storeId: string, fileId: string, now: number): Promise<StoreFile | null>
  files(query: FilesQuery): Promise<readonly StoreFile[]>
  setAttributes(file: Pick<NewStoreFile, 'storeId' | 'fileId'>, attributes: NewStoreFile['attributes']): Promise<void>
  /** Takes files out of a store; returns the documents that no file has any more. */
  removeFiles(storeId: string, fileIds: readonly string[]): Promise<readonly string[]>
  /** Stores that these files are in. */
  storesOf(fileIds: readonly string[]): Promise<readonly Pick<NewStoreFile, 'storeId' | 'fileId'>[]>
  /** The files in these stores that the documents were made of, with their names. */
  filesOfDocuments(
    storeIds: readonly string[],
    documentIds: readonly string[],
  ): Promise<readonly (Pick<NewStoreFile, 'documentId' | 'fileId' | 'attributes'> & { readonly name: string })[]>
  insertBatch(batch: StoreBatch): Promise<void>
  batch(id: string): Promise<StoreBatch | null>
  cancelBatch(id: string, now: number): Promise<void>
}

export interface FilesQuery extends StorePage {
  readonly storeId: string
  readonly batchId: string | null
  readonly status: FileStatus | null
  readonly now: number
}

/** How exact the time of the last use is. */
const touchedEveryMs = 60_000
const dayMs = 86_400_000

/** The vector stores of this database. */
export function vectorStoreStore(connection: Connection): VectorStoreStore {
  return { ...storeRows(connection), ...fileRows(connection), ...batchRows(connection) }
}

type StoreRows = Pick<
  VectorStoreStore,
  'insert' | 'find' | 'list' | 'update' | 'touch' | 'counts' | 'markDeleted' | 'forget' | 'over'
>

function storeRows({ engine, kysely }: Connection): StoreRows {
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
