/**
 * Batches, and what changes them as a whole. Their work is jobs (batch-jobs.ts). Every transaction that changes a batch
 * locks its row first and its jobs second, so that they wait for each other and never in a circle.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import { plainText } from '../documents/plain-text.ts'
import type { BatchesTable, BatchJobsTable, Tables } from '../schema.ts'
import { lockAccount } from './account-room.ts'
import { batchOf, batchRow, type Batch } from './batch-row.ts'
import { batchJobs, type BatchJobs } from './batch-jobs.ts'
import { asyncPieces, type AsyncPieces } from './async-pieces.ts'
import { batchResults, type BatchResults } from './batch-results.ts'
import { lockedBatch, wakeWholeJob } from './locked-batch.ts'

export interface BatchQuery {
  readonly userId: string
  readonly dialect: Batch['dialect']
  readonly limit: number
  /** The id of the batch before the page, which is older; null begins with the newest. */
  readonly after: string | null
  /** The page has those that are newer than `after`, and not older. */
  readonly newer?: boolean
}

export interface BatchStore extends BatchJobs, BatchResults, AsyncPieces {
  /** Adds a batch, to be validated. False when the account has `openMax` that have not ended; async requests count apart. */
  insert(batch: Batch, openMax: number): Promise<boolean>
  find(id: string): Promise<Batch | null>
  /** A page, the newest first; null when `after` names no batch of the account. */
  list(query: BatchQuery): Promise<readonly Batch[] | null>
  /** Stops a batch that has work left: its jobs end, and lines without a result will have none. Null when it has ended. */
  cancel(id: string, now: number): Promise<Batch | null>
  /** The same for batches whose window is over; returns how many. */
  expire(now: number, limit: number): Promise<number>
  /** Its account sees a batch that has ended no longer. */
  hide(id: string): Promise<void>
  /** Forgets batches that ended before; returns how many. */
  purgeBefore(at: number, limit: number): Promise<number>
}

/** The batches of this database. */
export function batchStore(database: Database): BatchStore {
  const { kysely } = database
  const find = async (id: string): Promise<Batch | null> => {
    const row = await kysely.selectFrom('batches').selectAll().where('id', '=', plainText(id)).executeTakeFirst()
    return row === undefined ? null : batchOf(row)
  }
  return {
    ...batchJobs(database),
    ...batchResults(database),
    ...asyncPieces(database),
    insert: (batch, openMax) =>
      kysely.transaction().execute(async (trx) => {
        await lockAccount(trx, database.engine, batch.userId)
        return insertBatch(trx, batch, openMax)
      }),
    find,
    list: (query) => listBatches(kysely, find, query),
    cancel: (id, now) =>
      kysely.transaction().execute(async (trx) => {
        const row = await lockedBatch(database, trx, id)
        if (row === undefined || row.outcome !== null || !isStoppable(row)) return null
        await stop(trx, row, { outcome: 'cancelled', status: 'cancelling', cancelling_at: now }, now)
        const changed = await trx.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
        return batchOf(changed)
      }),
    async expire(now, limit) {
      const due = await kysely
        .selectFrom('batches')
        .select('id')
        .where('ended_at', 'is', null)
        .where('expires_at', '<=', now)
        .where('status', 'in', stoppable)
        .limit(limit)
        .execute()
      for (const { id } of due) {
        await kysely.transaction().execute(async (trx) => {
          const row = await lockedBatch(database, trx, id)
          if (row !== undefined && isStoppable(row))
            await stop(trx, row, { outcome: 'expired', status: 'finalizing', finalizing_at: now }, now)
        })
      }
      return due.length
    },
    async hide(id) {
      await kysely.updateTable('batches').set({ user_id: '' }).where('id', '=', id).execute()
    },
    async purgeBefore(at, limit) {
      const rows = await kysely
        .selectFrom('batches')
        .select('id')
        .where('ended_at', '<', at)
        .where('has_results', '=', 0)
        .limit(limit)
        .execute()
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) await kysely.deleteFrom('batches').where('id', 'in', ids).execute()
      return ids.length
    },
  }
}

async function insertBatch(trx: Transaction<Tables>, batch: Batch, openMax: number): Promise<boolean> {
  const { open } = await trx
    .selectFrom('batches')
    .select(sql<number>`count(*)`.as('open'))
    .where('user_id', '=', batch.userId)
    .where('ended_at', 'is', null)
    .where('dialect', batch.dialect === 'async' ? '=' : '<>', 'async')
    .executeTakeFirstOrThrow()
  if (Number(open) >= openMax) return false
  await trx.insertInto('batches').values(batchRow(batch)).execute()
  await trx.insertInto('batch_jobs').values(wholeJob(batch)).execute()
  return true
}

const stoppable = ['validating', 'in_progress'] as const

function isStoppable({ status }: BatchesTable): boolean {
  return stoppable.some((each) => each === status)
}

/**
 * Ends all its jobs, whose workers lose their leases, and adds the one that settles it. Parts that a provider may have
 * stay until they have ended there: what it has done by then is paid.
 */
async function stop(
  trx: Transaction<Tables>,
  { id }: BatchesTable,
  change: Partial<BatchesTable>,
  now: number,
): Promise<void> {
  await trx.updateTable('batches').set(change).where('id', '=', id).execute()
  await trx
    .deleteFrom('batch_jobs')
    .where('batch_id', '=', id)
    .where('part', '>', 0)
    .where((eb) => eb.or([eb('native', 'is', null), eb('native', '=', JSON.stringify({ phase: 'new' }))]))
    .execute()
  const left = await trx
    .updateTable('batch_jobs')
    .set(({ eb }) => ({ fence: eb('fence', '+', 1), worker: null, lease_until: null, available_at: now }))
    .where('batch_id', '=', id)
    .where('part', '>', 0)
    .executeTakeFirst()
  const count = Number(left.numUpdatedRows)
  await trx.updateTable('batches').set({ parts_left: count }).where('id', '=', id).execute()
  if (count === 0) await wakeWholeJob(trx, id, now)
}

const here = { native_model: null, native: null }

/** The job of the batch as a whole. It stays as long as the batch runs, so that its fence never begins again. */
function wholeJob({ id, userId, createdAt }: Batch): BatchJobsTable {
  const lines = { part: 0, first_line: 0, position: 0, bytes: 0 }
  return {
    batch_id: id,
    user_id: userId,
    ...lines,
    fence: 0,
    worker: null,
    lease_until: null,
    available_at: createdAt,
    ...here,
  }
}

async function listBatches(
  kysely: Kysely<Tables>,
  find: BatchStore['find'],
  { userId, dialect, limit, after, newer = false }: BatchQuery,
): Promise<readonly Batch[] | null> {
  const before = after === null ? null : await find(after)
  if (after !== null && before?.userId !== userId) return null
  let query = kysely.selectFrom('batches').selectAll().where('user_id', '=', userId).where('dialect', '=', dialect)
  if (before !== null) {
    const place = sql`(${before.createdAt}, ${before.id})`
    query = query.where(newer ? sql<boolean>`(created_at, id) > ${place}` : sql<boolean>`(created_at, id) < ${place}`)
  }
  const direction = newer ? 'asc' : 'desc'
  const rows = await query.orderBy('created_at', direction).orderBy('id', direction).limit(limit).execute()
  return (newer ? rows.toReversed() : rows).map(batchOf)
}
