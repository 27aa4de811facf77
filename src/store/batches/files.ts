/**
 * Files of accounts: what was uploaded, and what batches have made. The bytes are in the blob store of the documents
 * (src/documents/blobs); a row says whose they are. The output of a batch that still runs has a row without bytes of
 * its own: its lines are results (batch-results.ts).
 */
import { sql, type Kysely } from 'kysely'
import type { Database } from '../database.ts'
import { plainText } from '../documents/plain-text.ts'
import type { FilesTable, Tables } from '../schema.ts'
import { bytesOfAccount, lockAccount } from './account-room.ts'

/** `upload_part`: see uploads.ts. `async`: what an async request holds, which is read by its own address. */
export type FilePurpose = 'assistants' | 'async' | 'batch' | 'batch_output' | 'upload_part' | 'user_data' | 'vision'

export interface StoredFile {
  readonly id: string
  readonly userId: string
  /** What the bytes are stored under. */
  readonly blobId: string
  /** Null while a batch still writes it. */
  readonly sha256: string | null
  readonly purpose: FilePurpose
  readonly name: string
  readonly bytes: number
  readonly createdAt: number
  readonly expiresAt: number | null
  /** Where its bytes lie; null when every process can read them, or that was not recorded. */
  readonly place: string | null
}

const hiddenPurposes = ['async', 'upload_part'] as const

/** One that its account sees. */
export type VisibleFile = StoredFile & { readonly purpose: Exclude<FilePurpose, (typeof hiddenPurposes)[number]> }

export interface FileQuery {
  readonly userId: string
  readonly purpose: string | null
  readonly limit: number
  readonly descending: boolean
  /** The id of the file before the page; null begins. */
  readonly after: string | null
  /** Files whose time is over by now are left out. */
  readonly now: number
}

export interface FileStore {
  /** Adds a file. False when the account would have more than `bytesMax`; then nothing is added. */
  insert(file: StoredFile, bytesMax: number): Promise<boolean>
  /** All but parts of uploads. */
  find(id: string): Promise<StoredFile | null>
  /** A page, in the order of creation; null when `after` names no file of the account. */
  list(query: FileQuery): Promise<readonly VisibleFile[] | null>
  /** Deletes a file, unless a batch that has not ended reads or writes it: then false. No batch begins with it in between. */
  deleteUnused(file: Pick<StoredFile, 'id' | 'userId'>): Promise<boolean>
  delete(ids: readonly string[]): Promise<void>
  /** Those whose time is over, and those of accounts that are gone; none that a running batch needs. */
  expired(now: number, limit: number): Promise<readonly StoredFile[]>
}

/** The files of this database. */
export function fileStore({ engine, kysely }: Database): FileStore {
  const find = async (id: string): Promise<StoredFile | null> => {
    const row = await kysely.selectFrom('files').selectAll().where('id', '=', plainText(id)).executeTakeFirst()
    return row === undefined || row.purpose === 'upload_part' ? null : fileOf(row)
  }
  return {
    async insert(file, bytesMax) {
      return kysely.transaction().execute(async (trx) => {
        await lockAccount(trx, engine, file.userId)
        if ((await bytesOfAccount(trx, file.userId)) + file.bytes > bytesMax) return false
        await trx.insertInto('files').values(fileRow(file)).execute()
        return true
      })
    },
    find,
    async list({ userId, purpose, limit, descending, after, now }) {
      const before = after === null ? null : await find(after)
      if (after !== null && before?.userId !== userId) return null
      const direction = descending ? 'desc' : 'asc'
      let query = kysely
        .selectFrom('files')
        .selectAll()
        .where('user_id', '=', userId)
        .where(hasContent)
        .where('purpose', 'not in', hiddenPurposes)
        .where(sql<boolean>`(expires_at is null or expires_at > ${now})`)
      if (purpose !== null) query = query.where('purpose', '=', plainText(purpose))
      if (before !== null) {
        const place = sql`(${before.createdAt}, ${before.id})`
        query = query.where(
          descending ? sql<boolean>`(created_at, id) < ${place}` : sql<boolean>`(created_at, id) > ${place}`,
        )
      }
      const rows = await query.orderBy('created_at', direction).orderBy('id', direction).limit(limit).execute()
      return rows.map(fileOf).filter(isVisible)
    },
    deleteUnused: ({ id, userId }) =>
      kysely.transaction().execute(async (trx) => {
        // Those who add a batch hold it, too.
        await lockAccount(trx, engine, userId)
        const deleted = await trx.deleteFrom('files').where('id', '=', id).where(unused).executeTakeFirst()
        return Number(deleted.numDeletedRows) > 0
      }),
    async delete(ids) {
      if (ids.length > 0) await kysely.deleteFrom('files').where('id', 'in', ids).execute()
    },
    expired: (now, limit) => expiredFiles(kysely, now, limit),
  }
}

export function isVisible(file: StoredFile): file is VisibleFile {
  return !hiddenPurposes.some((purpose) => purpose === file.purpose)
}

/** An output is there once it has a line. */
const hasContent = sql<boolean>`(sha256 is not null or bytes > 0)`

const unused = sql<boolean>`not exists (select 1 from batches where ended_at is null
  and files.id in (input_file_id, output_file_id, error_file_id))`

async function expiredFiles(kysely: Kysely<Tables>, now: number, limit: number): Promise<readonly StoredFile[]> {
  const rows = await kysely
    .selectFrom('files')
    .selectAll()
    .where(
      // The operator has no row among the users.
      sql<boolean>`(expires_at <= ${now} or (user_id <> 'operator' and not exists (
        select 1 from users where users.id = files.user_id)))`,
    )
    .where(unused)
    .limit(limit)
    .execute()
  return rows.map(fileOf)
}

export function fileRow(file: StoredFile): FilesTable {
  return {
    id: file.id,
    user_id: file.userId,
    blob_id: file.blobId,
    sha256: file.sha256,
    purpose: file.purpose,
    name: file.name,
    bytes: file.bytes,
    created_at: file.createdAt,
    expires_at: file.expiresAt,
    place: file.place,
  }
}

export function fileOf(row: FilesTable): StoredFile {
  return {
    id: row.id,
    userId: row.user_id,
    blobId: row.blob_id,
    sha256: row.sha256,
    purpose: row.purpose as FilePurpose,
    name: row.name,
    bytes: row.bytes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    place: row.place,
  }
}
