/**
 * The jobs of batches, claimed under a lease as those of documents are. Part 0 of a batch is the work on it as a whole:
 * it is validated, and in the end its results become files. The other parts are pieces of its lines; one that is done
 * has no row any more. A lease that has run out is anyone's to claim; the fence tells the claims apart.
 */
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Connection, Database } from '../database.ts'
import type { Tables } from '../schema.ts'
import { insertRows, isOneOf } from '../documents/statements.ts'
import { batchOf, type Batch } from './batch-row.ts'
import { fileRow, type StoredFile } from './files.ts'
import { leasedBatch, restWholeJob, tellEnded, type JobLease } from './locked-batch.ts'

/** A piece of the lines of a batch: where it lies in the input file. */
export interface BatchPart {
  readonly part: number
  /** Number of its first line, from 1. */
  readonly firstLine: number
  readonly position: number
  readonly bytes: number
  /** It has the lines of this model, and no others; null: all lines of models that are not the provider's to run. */
  readonly nativeModel: string | null
  /** How far the provider's batch of them is; null: they run here. */
  readonly native: NativeState | null
}

/**
 * - `new`: nothing was sent.
 * - `submitting`: from this moment on the provider may have the batch, which had so many lines.
 * - `submitted`: the provider has it, under this id.
 */
export type NativeState =
  | { readonly phase: 'new' }
  | { readonly phase: 'submitting'; readonly providerId: string; readonly at: number; readonly count: number }
  | {
      readonly phase: 'submitted'
      readonly providerId: string
      readonly id: string
      /** When its end was asked for. */
      readonly cancelledAt: number | null
    }

/** A job that was claimed; `part` 0 is the batch as a whole. */
export interface ClaimedJob extends BatchPart {
  readonly batch: Batch
  readonly lease: JobLease
}

export interface ClaimQuery {
  readonly worker: string
  readonly now: number
  readonly leaseUntil: number
  /** Accounts that have enough of this worker. */
  readonly exceptUsers: readonly string[]
  /** The worker has room for async requests only. */
  readonly onlyAsync: boolean
  /** False leaves out parts that their provider runs. */
  readonly withNative: boolean
  /** Only batches whose input lies in one of these places, or whose place is null. All when left out. */
  readonly places?: readonly string[] | undefined
}

/** What validation has found in a file of valid lines. */
export interface ValidBatch {
  readonly total: number
  readonly parts: readonly BatchPart[]
  readonly nativeModels: readonly string[]
  /** The one that all lines name; null for several. */
  readonly model: string | null
  /** Where its lines will be written. */
  readonly output: StoredFile
  readonly errors: StoredFile
}

export interface BatchJobs {
  /** The job whose turn it is: of the account with the fewest under way, async requests first, then the batch whose window ends first. */
  claim(query: ClaimQuery): Promise<ClaimedJob | null>
  /** Extends leases; returns those that are lost. */
  renew(leases: readonly JobLease[], leaseUntil: number): Promise<readonly JobLease[]>
  /** Notes how far the provider's batch of a part is. Rejects with LeaseLost. */
  setNative(lease: JobLease, native: NativeState | null): Promise<void>
  /** Gives a job back, to be claimed again from `availableAt` on. It may be lost already. */
  release(lease: JobLease, availableAt: number): Promise<void>
  /** All leases end: no worker lives. For the only process, at its start. */
  releaseAll(): Promise<void>
  /** The lines are valid: they become jobs. Rejects with LeaseLost. */
  accept(lease: JobLease, valid: ValidBatch, now: number): Promise<void>
  /** The same for a batch that was stopped before: its lines will have results, but are not called. Rejects with LeaseLost. */
  addOutputs(lease: JobLease, outputs: Pick<ValidBatch, 'output' | 'errors'>): Promise<void>
  /** The file is not valid: the batch has failed. Rejects with LeaseLost. */
  refuse(lease: JobLease, errors: string, now: number): Promise<void>
}

/** Accounts that are looked at for one claim. */
const candidatesMax = 20

/** The jobs of this database. */
export function batchJobs(database: Database): BatchJobs {
  const { kysely } = database
  return {
    claim: (query) => kysely.transaction().execute((trx) => claim(database, trx, query)),
    async renew(leases, leaseUntil) {
      const lost: JobLease[] = []
      for (const lease of leases) {
        const { numUpdatedRows } = await ofLease(kysely, lease).set({ lease_until: leaseUntil }).executeTakeFirst()
        if (numUpdatedRows === 0n) lost.push(lease)
      }
      return lost
    },
    setNative: (lease, native) =>
      kysely.transaction().execute(async (trx) => {
        await leasedBatch(database, trx, lease)
        await ofLease(trx, lease)
          .set({ native: native && JSON.stringify(native) })
          .execute()
      }),
    async release(lease, availableAt) {
      await ofLease(kysely, lease).set({ lease_until: null, worker: null, available_at: availableAt }).execute()
    },
    async releaseAll() {
      await kysely
        .updateTable('batch_jobs')
        .set({ lease_until: null, worker: null })
        .where('lease_until', 'is not', null)
        .execute()
    },
    accept: (lease, valid, now) => kysely.transaction().execute((trx) => accept(database, trx, { lease, valid, now })),
    addOutputs: (lease, outputs) =>
      kysely.transaction().execute(async (trx) => {
        const { id } = await leasedBatch(database, trx, lease)
        await insertOutputs(trx, id, outputs)
      }),
    refuse: (lease, errors, now) =>
      kysely.transaction().execute(async (trx) => {
        const batch = await leasedBatch(database, trx, lease)
        const { id } = batch
        await trx.updateTable('batches').set({ status: 'failed', ended_at: now, errors }).where('id', '=', id).execute()
        await tellEnded(trx, batch, 'failed', now)
        await trx.deleteFrom('batch_jobs').where('batch_id', '=', id).execute()
      }),
  }
}

async function accept(
  connection: Connection,
  trx: Transaction<Tables>,
  { lease, valid, now }: { readonly lease: JobLease; readonly valid: ValidBatch; readonly now: number },
): Promise<void> {
  const { total, parts, nativeModels, model, output, errors } = valid
  const { id, user_id: userId } = await leasedBatch(connection, trx, lease)
  const none = { fence: 0, worker: null, lease_until: null, available_at: now }
  const rows = parts.map(({ part, firstLine, position, bytes, nativeModel, native }) => ({
    batch_id: id,
    part,
    user_id: userId,
    first_line: firstLine,
    position,
    bytes,
    native_model: nativeModel,
    native: native && JSON.stringify(native),
    ...none,
  }))
  await insertRows(trx, 'batch_jobs', rows)
  await insertOutputs(trx, id, { output, errors })
  const models = nativeModels.length > 0 && { native_models: JSON.stringify(nativeModels) }
  await trx
    .updateTable('batches')
    .set({ status: 'in_progress', in_progress_at: now, total, model, parts_left: rows.length, ...models })
    .where('id', '=', id)
    .execute()
  await restWholeJob(trx, id)
}

async function insertOutputs(
  trx: Transaction<Tables>,
  id: string,
  { output, errors }: Pick<ValidBatch, 'output' | 'errors'>,
): Promise<void> {
  await trx
    .insertInto('files')
    .values([fileRow(output), fileRow(errors)])
    .execute()
  const files = { output_file_id: output.id, error_file_id: errors.id }
  await trx
    .updateTable('batches')
    .set({ has_results: 1, ...files })
    .where('id', '=', id)
    .execute()
}

function ofLease(kysely: Kysely<Tables>, { batchId, part, fence }: JobLease) {
  return kysely
    .updateTable('batch_jobs')
    .where('batch_id', '=', batchId)
    .where('part', '=', part)
    .where('fence', '=', fence)
    .where('lease_until', 'is not', null)
}

async function claim(connection: Connection, trx: Transaction<Tables>, query: ClaimQuery): Promise<ClaimedJob | null> {
  const { worker, now, leaseUntil, withNative } = query
  for (const { id } of await candidates(connection, trx, query)) {
    // Another worker that claims at this moment locks its job; the one behind it is as good.
    let free = trx
      .selectFrom('batch_jobs')
      .selectAll()
      .where('batch_id', '=', id)
      .where('available_at', '<=', now)
      .where(isFree(now))
      .where(isWanted(withNative))
      .orderBy('part')
      .limit(1)
    if (connection.engine === 'postgres') free = free.forUpdate().skipLocked()
    const job = await free.executeTakeFirst()
    if (job === undefined) continue
    const fence = job.fence + 1
    await trx
      .updateTable('batch_jobs')
      .set({ fence, worker, lease_until: leaseUntil })
      .where('batch_id', '=', id)
      .where('part', '=', job.part)
      .execute()
    const batch = await trx.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst()
    if (batch === undefined) continue
    const { part, first_line: firstLine, position, bytes, native_model: nativeModel } = job
    const native = job.native === null ? null : (JSON.parse(job.native) as NativeState)
    const lease = { batchId: id, part, fence }
    return { batch: batchOf(batch), lease, part, firstLine, position, bytes, nativeModel, native }
  }
  return null
}

const isFree = (now: number) => sql<boolean>`(lease_until is null or lease_until <= ${now})`

const isWanted = (withNative: boolean) => (withNative ? sql<boolean>`1 = 1` : sql<boolean>`native is null`)

/** The most urgent batch of each account that has a free job, the account with the fewest leases first. */
async function candidates(
  { engine }: Connection,
  trx: Transaction<Tables>,
  { now, exceptUsers, onlyAsync, withNative, places }: ClaimQuery,
): Promise<readonly { readonly id: string }[]> {
  const isOpen = onlyAsync ? sql<boolean>`dialect = 'async'` : sql<boolean>`1 = 1`
  // A batch whose lines are all done needs its input no more.
  const isReadable =
    places === undefined
      ? sql<boolean>`1 = 1`
      : sql<boolean>`(not exists (select 1 from files where files.id = batches.input_file_id
          and files.place is not null and not ${isOneOf(engine, 'files.place', places)})
        or (status = 'finalizing' and outcome is null))`
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, user_id, expires_at,
        row_number() over (partition by user_id
          order by case when dialect = 'async' then 0 else 1 end, expires_at, created_at, id) as place
      from batches where ended_at is null and ${isOpen} and ${isReadable} and not ${isOneOf(engine, 'user_id', exceptUsers)}
        and exists (select 1 from batch_jobs where batch_id = batches.id and available_at <= ${now} and ${isFree(now)}
          and ${isWanted(withNative)})
    ) as ready where place = 1
    order by (select count(*) from batch_jobs as held where held.user_id = ready.user_id and held.lease_until > ${now}),
      expires_at, id
    limit ${candidatesMax}`.execute(trx)
  return rows
}
