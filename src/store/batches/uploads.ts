/**
 * Uploads in parts. Each part is a file of its own that no list shows (purpose `upload_part`, named after its upload),
 * so that it lies, expires and is backed up as files do. The bytes that an upload announces count for its account from
 * its beginning.
 */
import { sql, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import { plainText } from '../documents/plain-text.ts'
import type { Tables, UploadsTable } from '../schema.ts'
import { bytesOfAccount, lockAccount } from './account-room.ts'
import { fileOf, fileRow, type FilePurpose, type StoredFile } from './files.ts'

export interface Upload {
  readonly id: string
  readonly userId: string
  /** What the file will be for, and its name. */
  readonly purpose: FilePurpose
  readonly name: string
  /** What all parts have together. */
  readonly bytes: number
  /** How long the file is kept; null: as long as files of its purpose are. */
  readonly lifeMs: number | null
  readonly status: 'pending' | 'completed' | 'cancelled'
  readonly createdAt: number
  readonly expiresAt: number
}

export interface UploadLimits {
  readonly bytesMax: number
  readonly pendingMax: number
}

export interface UploadStore {
  /** Adds an upload; or says which of the account's limits it would exceed, and adds nothing. */
  insert(upload: Upload, limits: UploadLimits): Promise<'added' | 'bytes' | 'pending'>
  /** Null for one whose time is over. */
  find(id: string, now: number): Promise<Upload | null>
  /** Adds a part. False when the parts would have more bytes than the upload, or be too many, or it is not pending. */
  addPart(upload: Upload, part: StoredFile, partsMax: number): Promise<boolean>
  /** In no order. */
  parts(upload: Upload): Promise<readonly StoredFile[]>
  /** Ends a pending upload, with a file or without; returns the parts, whose rows are gone. Null when it has ended. */
  end(upload: Upload, file: StoredFile | null): Promise<readonly StoredFile[] | null>
  /** Forgets uploads whose time is over; returns how many. Their parts expire as files do. */
  purge(now: number, limit: number): Promise<number>
}

/** The uploads of this database. */
export function uploadStore({ engine, kysely }: Database): UploadStore {
  const locked = <T>(userId: string, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> =>
    kysely.transaction().execute(async (trx) => {
      await lockAccount(trx, engine, userId)
      return work(trx)
    })
  return {
    insert: (upload, { bytesMax, pendingMax }) =>
      locked(upload.userId, async (trx) => {
        const { pending } = await trx
          .selectFrom('uploads')
          .select(sql<number>`count(*)`.as('pending'))
          .where('user_id', '=', upload.userId)
          .where('status', '=', 'pending')
          .executeTakeFirstOrThrow()
        if (Number(pending) >= pendingMax) return 'pending'
        if ((await bytesOfAccount(trx, upload.userId)) + upload.bytes > bytesMax) return 'bytes'
        await trx.insertInto('uploads').values(uploadRow(upload)).execute()
        return 'added'
      }),
    async find(id, now) {
      const row = await kysely
        .selectFrom('uploads')
        .selectAll()
        .where('id', '=', plainText(id))
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row === undefined ? null : uploadOf(row)
    },
    addPart: (upload, part, partsMax) =>
      locked(upload.userId, async (trx) => {
        const parts = await partsOf(trx, upload)
        const bytes = parts.reduce((sum, each) => sum + each.bytes, part.bytes)
        if (bytes > upload.bytes || parts.length >= partsMax || !(await isPending(trx, upload))) return false
        await trx.insertInto('files').values(fileRow(part)).execute()
        return true
      }),
    parts: (upload) => kysely.transaction().execute((trx) => partsOf(trx, upload)),
    end: (upload, file) =>
      locked(upload.userId, async (trx) => {
        if (!(await isPending(trx, upload))) return null
        const parts = await partsOf(trx, upload)
        const status = file === null ? 'cancelled' : 'completed'
        await trx.updateTable('uploads').set({ status }).where('id', '=', upload.id).execute()
        const ids = parts.map(({ id }) => id)
        if (ids.length > 0) await trx.deleteFrom('files').where('id', 'in', ids).execute()
        if (file !== null) await trx.insertInto('files').values(fileRow(file)).execute()
        return parts
      }),
    async purge(now, limit) {
      const rows = await kysely.selectFrom('uploads').select('id').where('expires_at', '<=', now).limit(limit).execute()
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) await kysely.deleteFrom('uploads').where('id', 'in', ids).execute()
      return ids.length
    },
  }
}

async function isPending(trx: Transaction<Tables>, { id }: Upload): Promise<boolean> {
  const row = await trx.selectFrom('uploads').select('status').where('id', '=', id).executeTakeFirst()
  return row?.status === 'pending'
}

async function partsOf(trx: Transaction<Tables>, { id, userId }: Upload): Promise<readonly StoredFile[]> {
  const rows = await trx
    .selectFrom('files')
    .selectAll()
    .where('user_id', '=', userId)
    .where('purpose', '=', 'upload_part')
    .where('name', '=', id)
    .execute()
  return rows.map(fileOf)
}

function uploadRow(upload: Upload): UploadsTable {
  return {
    id: upload.id,
    user_id: upload.userId,
    purpose: upload.purpose,
    name: upload.name,
    bytes: upload.bytes,
    life_ms: upload.lifeMs,
    status: upload.status,
    created_at: upload.createdAt,
    expires_at: upload.expiresAt,
  }
}

function uploadOf(row: UploadsTable): Upload {
  return {
    id: row.id,
    userId: row.user_id,
    purpose: row.purpose as FilePurpose,
    name: row.name,
    bytes: row.bytes,
    lifeMs: row.life_ms,
    status: row.status as Upload['status'],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
