/**
 * Jobs: claimed under a lease, renewed, ended, given back, taken back. On PostgreSQL each of them
 * locks the document's row first and its job second, several in the order of their rows, so that they
 * wait for each other and never in a circle; claiming and reaping skip locked rows.
 */
import { sql, type Transaction } from 'kysely'
import type { Connection } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import {
  documentAt,
  endedStates,
  needsRowLocks,
  noProgress,
  recordOrNull,
  recordsOf,
  type DocumentRow,
} from '../rows/document-row.ts'
import { discardSets } from './chunk-set.ts'
import type { Heartbeat, Claim, DocumentError, DocumentStore, Lease } from '../document-store.ts'
import { leasedDocument, leasedDocumentOrUndefined } from './lease.ts'
import { isOneOf } from '../statements.ts'
import { lockedDocument } from './locked-document.ts'
import { tellEnded } from './tell-ended.ts'

export type DocumentJobs = Pick<DocumentStore, 'cancel' | 'claim' | 'renew' | 'fail' | 'release' | 'relocate'> & {
  /** As `reap` of the store; the waits after the first, second … crash are given as numbers. */
  reap(query: ReapQuery): Promise<number>
}

export interface ReapQuery {
  readonly now: number
  readonly crashesMax: number
  readonly backoffsMs: readonly number[]
}

/** Leases that one transaction takes back. */
const reapMax = 20

/** The jobs of this database. */
export function documentJobs(connection: Connection): DocumentJobs {
  const { kysely } = connection
  const inTransaction = <T>(work: (trx: Transaction<Tables>, within: Connection) => Promise<T>): Promise<T> =>
    kysely.transaction().execute((trx) => work(trx, { engine: connection.engine, kysely: trx }))
  return {
    claim: (query) => inTransaction((trx, within) => claim(trx, within, query)),
    async renew(leases, times) {
      if (leases.length === 0) return []
      return inTransaction((trx, within) => renew(trx, within, { leases, ...times }))
    },
    fail: (lease, { error, retryAt, warnings, countsAttempt = true }, now) =>
      inTransaction(async (trx, within) => {
        const document = await leasedDocument(within, lease)
        await (retryAt === null
          ? endFailed(trx, document, { error, now })
          : requeue(trx, document, { now, availableAt: retryAt, error }))
        await trx
          .updateTable('documents')
          .set({
            warnings: JSON.stringify(warnings),
            ...(!countsAttempt && { attempts: Math.max(0, document.attempts - 1) }),
          })
          .where('row', '=', document.row)
          .execute()
      }),
    release: (leases, now) =>
      inTransaction(async (trx, within) => {
        for (const each of leases.toSorted(byId)) await release(trx, within, each, now)
      }),
    reap: (query) => inTransaction((trx, within) => reap(trx, within, query)),
    async relocate(blobs, place) {
      for (const { id, sha256 } of blobs) {
        const document = kysely.updateTable('documents').set({ place }).where('id', '=', id)
        await document.where('sha256', '=', sha256).execute()
        const file = kysely.updateTable('files').set({ place }).where('blob_id', '=', id)
        await file.where('sha256', '=', sha256).execute()
      }
    },
    cancel: (id, viewer, now) =>
      inTransaction(async (trx, within) => {
        const document = await lockedDocument(within.engine, trx, { id, viewer })
        if (document === undefined) return null
        if (!endedStates.includes(document.state as (typeof endedStates)[number])) {
          await end(trx, document, { state: 'cancelled', error: null, now })
        }
        return recordOrNull(within, await documentAt(trx, document.row))
      }),
  }
}

async function claim(
  trx: Transaction<Tables>,
  connection: Connection,
  { worker, max, leaseUntil, now, places }: Parameters<DocumentStore['claim']>[0],
): Promise<readonly Claim[]> {
  let query = trx
    .selectFrom('document_jobs')
    .innerJoin('documents', 'documents.row', 'document_jobs.document_row')
    .select(['document_row', 'documents.fence'])
    .where('lease_until', 'is', null)
    .where('available_at', '<=', now)
    .orderBy('available_at')
    .orderBy('document_row')
    .limit(max)
  if (places !== undefined) {
    const readable = isOneOf(connection.engine, 'documents.place', places)
    query = query.where(sql<boolean>`(documents.place is null or ${readable})`)
  }
  if (needsRowLocks(connection.engine)) query = query.forUpdate().skipLocked()
  const jobs = await query.execute()
  for (const { document_row: row, fence: former } of jobs) {
    const fence = former + 1
    await trx
      .updateTable('document_jobs')
      .set({ fence, lease_until: leaseUntil, worker })
      .where('document_row', '=', row)
      .execute()
    await trx
      .updateTable('documents')
      .set(({ eb }) => ({ fence, attempts: eb('attempts', '+', 1), updated_at: now }))
      .where('row', '=', row)
      .execute()
  }
  const order = jobs.map(({ document_row: row }) => row)
  const rows = await trx
    .selectFrom('documents')
    .selectAll()
    .where(isOneOf(connection.engine, 'row', order))
    .execute()
  const sorted = rows.toSorted((a, b) => order.indexOf(a.row) - order.indexOf(b.row))
  const records = await recordsOf(connection, sorted)
  return records.map((document, index) => ({ document, fence: sorted[index]?.fence ?? 0 }))
}

interface Renewal {
  readonly leases: readonly (Lease & { readonly heartbeat: Heartbeat })[]
  readonly leaseUntil: number
  readonly now: number
}

async function renew(
  trx: Transaction<Tables>,
  connection: Connection,
  { leases, leaseUntil, now }: Renewal,
): Promise<readonly Lease[]> {
  const lost: Lease[] = []
  for (const { heartbeat, id, fence } of leases.toSorted(byId)) {
    const document = await leasedDocumentOrUndefined(connection, { id, fence })
    const renewed =
      document !== undefined &&
      (await trx
        .updateTable('document_jobs')
        .set({ lease_until: leaseUntil })
        .where('document_row', '=', document.row)
        .where('lease_until', '>', now)
        .returning('document_row')
        .executeTakeFirst()) !== undefined
    if (!renewed) {
      lost.push({ id, fence })
      continue
    }
    await trx
      .updateTable('documents')
      .set({
        state: heartbeat.state,
        progress: JSON.stringify(heartbeat.progress),
        state_at: JSON.stringify(heartbeat.stateAt),
        updated_at: now,
      })
      .where('row', '=', document.row)
      .execute()
  }
  return lost
}

async function release(trx: Transaction<Tables>, connection: Connection, lease: Lease, now: number): Promise<void> {
  const document = await leasedDocumentOrUndefined(connection, lease)
  if (document === undefined) return
  await requeue(trx, document, { now, availableAt: null, error: null })
  await trx
    .updateTable('documents')
    .set({ attempts: Math.max(0, document.attempts - 1) })
    .where('row', '=', document.row)
    .execute()
}

async function reap(trx: Transaction<Tables>, { engine }: Connection, query: ReapQuery): Promise<number> {
  let expired = trx
    .selectFrom('document_jobs')
    .innerJoin('documents', 'documents.row', 'document_jobs.document_row')
    .selectAll('documents')
    .where('lease_until', '<=', query.now)
    .orderBy('lease_until')
    .limit(reapMax)
  if (needsRowLocks(engine)) expired = expired.forUpdate().skipLocked()
  const documents = await expired.execute()
  for (const document of documents) {
    const crashes = document.crashes + 1
    await trx.updateTable('documents').set({ crashes }).where('row', '=', document.row).execute()
    if (crashes >= query.crashesMax) await endFailed(trx, document, { error: crashed(document), now: query.now })
    else {
      const backoffMs = query.backoffsMs[crashes - 1] ?? query.backoffsMs.at(-1) ?? 0
      await requeue(trx, document, { now: query.now, availableAt: query.now + backoffMs, error: null })
    }
  }
  return documents.length
}

function crashed({ state, crashes }: DocumentRow): DocumentError {
  return {
    code: 'crashed',
    stage: state as DocumentError['stage'],
    message:
      `The process that worked on this document ended before it was done, ${crashes + 1} times. ` +
      'Try again; if that ends the same way, the file itself may be the cause.',
    retryable: true,
  }
}

/** Back into the queue; `availableAt` null keeps the place that it had. */
async function requeue(
  trx: Transaction<Tables>,
  document: DocumentRow,
  {
    now,
    availableAt,
    error,
  }: {
    readonly now: number
    readonly availableAt: number | null
    readonly error: DocumentError | null
  },
): Promise<void> {
  await trx
    .updateTable('document_jobs')
    .set({ lease_until: null, worker: null, ...(availableAt === null ? {} : { available_at: availableAt }) })
    .where('document_row', '=', document.row)
    .execute()
  await trx
    .updateTable('documents')
    .set({
      state: 'queued',
      progress: JSON.stringify(noProgress),
      error: error === null ? null : JSON.stringify(error),
      state_at: JSON.stringify({ queued: now }),
      updated_at: now,
    })
    .where('row', '=', document.row)
    .execute()
  await discardSets(trx, document.row, document.visible_set)
}

function endFailed(
  trx: Transaction<Tables>,
  document: DocumentRow,
  ending: { readonly error: DocumentError; readonly now: number },
): Promise<void> {
  return end(trx, document, { state: 'failed', ...ending })
}

interface Ending {
  readonly state: 'failed' | 'cancelled'
  readonly error: DocumentError | null
  readonly now: number
}

async function end(trx: Transaction<Tables>, document: DocumentRow, { state, error, now }: Ending): Promise<void> {
  await trx.deleteFrom('document_jobs').where('document_row', '=', document.row).execute()
  await trx
    .updateTable('documents')
    .set({
      state,
      error: error === null ? null : JSON.stringify(error),
      state_at: sql<string>`${JSON.stringify({ ...(JSON.parse(document.state_at) as object), [state]: now })}`,
      updated_at: now,
    })
    .where('row', '=', document.row)
    .execute()
  await discardSets(trx, document.row, document.visible_set)
  if (state === 'failed') await tellEnded(trx, document, { type: 'document.failed', at: now, error })
}

function byId(a: Lease, b: Lease): number {
  return a.id < b.id ? -1 : Number(a.id > b.id)
}
