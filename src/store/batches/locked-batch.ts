/** What a transaction on a batch begins with: its row, locked, and the lease in whose name it writes. */
import type { Transaction } from 'kysely'
import type { Connection } from '../database.ts'
import { isOneOf } from '../documents/statements.ts'
import { LeaseLost } from '../errors.ts'
import type { BatchesTable, Tables } from '../schema.ts'
import { addEvent, type EventType } from '../webhooks/outbox.ts'

/** A job in the hands of a worker; the next claim has a higher fence. */
export interface JobLease {
  readonly batchId: string
  readonly part: number
  readonly fence: number
}

/** No job waits for so long. */
const idle = Number.MAX_SAFE_INTEGER

/** The row, locked until the transaction ends. */
export async function lockedBatch(
  { engine }: Connection,
  trx: Transaction<Tables>,
  id: string,
): Promise<BatchesTable | undefined> {
  const query = trx.selectFrom('batches').selectAll().where('id', '=', id)
  return (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
}

/** The message of LeaseLost. */
export const takenOver = 'The job was taken over or ended in the meantime.'

/** The batch of a job that is still leased under this fence; both are locked. Throws LeaseLost. */
export async function leasedBatch(
  connection: Connection,
  trx: Transaction<Tables>,
  lease: JobLease,
): Promise<BatchesTable> {
  const { batch, held } = await lockedJobs(connection, trx, lease.batchId, [lease])
  if (batch === undefined || held.size === 0) throw new LeaseLost(takenOver)
  return batch
}

/** A batch and those of its jobs that are still leased under their fences; all are locked, the jobs in the order of their parts. */
export async function lockedJobs(
  connection: Connection,
  trx: Transaction<Tables>,
  batchId: string,
  leases: readonly JobLease[],
): Promise<{ readonly batch: BatchesTable | undefined; readonly held: ReadonlySet<JobLease> }> {
  const batch = await lockedBatch(connection, trx, batchId)
  const parts = leases.map(({ part }) => part)
  let jobs = trx
    .selectFrom('batch_jobs')
    .select(['part', 'fence'])
    .where('batch_id', '=', batchId)
    .where(isOneOf(connection.engine, 'part', parts))
    .where('lease_until', 'is not', null)
    .orderBy('part')
  if (connection.engine === 'postgres') jobs = jobs.forUpdate()
  const fences = new Map((await jobs.execute()).map(({ part, fence }) => [part, fence]))
  return { batch, held: new Set(leases.filter(({ part, fence }) => fences.get(part) === fence)) }
}

/** The batch as a whole has work from now on; a worker that has its job loses it. */
export async function wakeWholeJob(trx: Transaction<Tables>, batchId: string, now: number): Promise<void> {
  await setWholeJob(trx, batchId, now)
}

/** The work on the batch as a whole is done for now. */
export async function restWholeJob(trx: Transaction<Tables>, batchId: string): Promise<void> {
  await setWholeJob(trx, batchId, idle)
}

/** The batch has ended: its receivers of webhooks will hear of it. */
export async function tellEnded(
  trx: Transaction<Tables>,
  { id, user_id: userId }: BatchesTable,
  status: string,
  at: number,
): Promise<void> {
  await addEvent(trx, { type: `batch.${status}` as EventType, subject: id, at, userId })
}

async function setWholeJob(trx: Transaction<Tables>, batchId: string, availableAt: number): Promise<void> {
  await trx
    .updateTable('batch_jobs')
    .set(({ eb }) => ({ fence: eb('fence', '+', 1), worker: null, lease_until: null, available_at: availableAt }))
    .where('batch_id', '=', batchId)
    .where('part', '=', 0)
    .execute()
}
