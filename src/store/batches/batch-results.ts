/**
 * The results of lines, from when they come until they are a file. A line is done when its result is here; there is
 * never a second one, whatever worker writes it.
 */
import { sql, type Transaction } from 'kysely'
import type { Connection, Database } from '../database.ts'
import { LeaseLost } from '../errors.ts'
import { flag, type BatchesTable, type Tables } from '../schema.ts'
import { insertRows, isOneOf } from '../documents/statements.ts'
import type { BatchUsage } from './batch-row.ts'
import { removePieces } from './async-pieces.ts'
import { leasedBatch, lockedJobs, takenOver, tellEnded, wakeWholeJob, type JobLease } from './locked-batch.ts'

/** The end of a line of the input: a line of the output, or of the file of errors. */
export interface LineResult {
  /** Number of the line in the input, from 1. */
  readonly line: number
  /** The code of its error; null for a line of the output. */
  readonly error: string | null
  /** The line was not called. */
  readonly isUndone?: boolean
  /** What its calls cost; null without a price. */
  readonly cost: number | null
  /** The tokens of its answer; null or left out when it reported none. */
  readonly usage?: BatchUsage | null | undefined
  /** JSON, without a line end. */
  readonly text: string
}

/** A line of a file that is not made yet. */
export interface StoredResult {
  readonly line: number
  /** UTF-8. */
  readonly bytes: Uint8Array
}

/** A file as it was stored; null: there are no such lines, and the file goes. */
export type FinishedFile = Readonly<{
  sha256: string
  bytes: number
  expiresAt: number | null
  place: string | null
}> | null

/** Results of lines of one job; `isLast`: it is done with them. */
export interface JobResults {
  readonly lease: JobLease
  readonly results: readonly LineResult[]
  readonly isLast: boolean
}

export interface BatchResults {
  /**
   * Adds results of a job's lines, all or none; `isLast`: the job is done with them. When it was the last job, the batch
   * is to be finished. Rejects with LeaseLost.
   */
  write(lease: JobLease, results: readonly LineResult[], isLast: boolean, now: number): Promise<void>
  /** The same for several jobs of one batch together; returns the leases that are lost, of which nothing is written. */
  writeJobs(jobs: readonly JobResults[], now: number): Promise<readonly JobLease[]>
  /** Numbers of the lines from `first` to before `end` that have a result. */
  done(batchId: string, first: number, end: number): Promise<readonly number[]>
  /** The next results of one kind in the order of their lines: a piece of a file, or one line that is longer. */
  results(batchId: string, isError: boolean, after: number): Promise<readonly StoredResult[]>
  /** The batch has ended: its lines are in files. Rejects with LeaseLost. */
  finish(
    lease: JobLease,
    files: { readonly output: FinishedFile; readonly errors: FinishedFile },
    now: number,
  ): Promise<void>
  /** Removes some results that are files by now; returns how many. */
  purgeResults(limit: number): Promise<number>
}

const pageRows = 500
/** Twice the bytes are in memory for a moment. */
const pageBytes = 524_288
/** Codes that are counted apart; those that come later count as one. */
const codesMax = 50
const codeLettersMax = 100
const otherCode = 'other'

/** The results in this database. */
export function batchResults(database: Database): BatchResults {
  const { kysely } = database
  return {
    async write(lease, results, isLast, now) {
      const lost = await writeJobs(database, [{ lease, results, isLast }], now)
      if (lost.length > 0) throw new LeaseLost(takenOver)
    },
    writeJobs: (jobs, now) => writeJobs(database, jobs, now),
    async done(batchId, first, end) {
      const rows = await kysely
        .selectFrom('batch_results')
        .select('line')
        .where('batch_id', '=', batchId)
        .where('line', '>=', first)
        .where('line', '<', end)
        .execute()
      return rows.map(({ line }) => line)
    },
    results: (batchId, isError, after) => page(database, batchId, isError, after),
    finish: (lease, { output, errors }, now) =>
      kysely.transaction().execute(async (trx) => {
        const batch = await leasedBatch(database, trx, lease)
        await finishFile(trx, batch.output_file_id, output)
        await finishFile(trx, batch.error_file_id, errors)
        const files = {
          output_file_id: output === null ? null : batch.output_file_id,
          error_file_id: errors === null ? null : batch.error_file_id,
        }
        const status = batch.outcome ?? 'completed'
        await trx
          .updateTable('batches')
          .set({ status, ended_at: now, ...files })
          .where('id', '=', batch.id)
          .execute()
        await trx.deleteFrom('batch_jobs').where('batch_id', '=', batch.id).execute()
        if (batch.dialect === 'async') await removePieces(trx, batch.id)
        await tellEnded(trx, batch, status, now)
      }),
    purgeResults: (limit) => purgeResults(database, limit),
  }
}

/** One transaction for all of them: a commit waits for the disk, and the row of the batch is written once. */
async function writeJobs(database: Database, jobs: readonly JobResults[], now: number): Promise<readonly JobLease[]> {
  const [first] = jobs
  if (first === undefined) return []
  const { batchId } = first.lease
  return database.kysely.transaction().execute(async (trx) => {
    const { batch, held } = await lockedJobs(
      database,
      trx,
      batchId,
      jobs.map(({ lease }) => lease),
    )
    const written = jobs.filter(({ lease }) => held.has(lease))
    const ended = written.flatMap(({ lease, isLast }) => (isLast ? lease.part : []))
    if (batch !== undefined && written.length > 0) {
      const change = await addResults(
        database,
        trx,
        batch,
        written.flatMap(({ results }) => results),
      )
      const ending = ended.length > 0 ? await endParts(trx, batch, { ended, now }) : {}
      if (Object.keys({ ...change, ...ending }).length > 0)
        await trx
          .updateTable('batches')
          .set({ ...change, ...ending })
          .where('id', '=', batchId)
          .execute()
    }
    return jobs.flatMap(({ lease }) => (held.has(lease) ? [] : lease))
  })
}

/** What they change in the row of the batch. Those that are there already stay as they are, and are not counted again. */
async function addResults(
  { engine }: Connection,
  trx: Transaction<Tables>,
  batch: BatchesTable,
  results: readonly LineResult[],
): Promise<Partial<BatchesTable>> {
  if (results.length === 0) return {}
  const numbers = results.map(({ line }) => line)
  const known = await trx
    .selectFrom('batch_results')
    .select('line')
    .where('batch_id', '=', batch.id)
    .where(isOneOf(engine, 'line', numbers))
    .execute()
  const lines = new Set(known.map(({ line }) => line))
  const added = results.filter(({ line }) => !lines.has(line))
  await insertRows(
    trx,
    'batch_results',
    added.map(({ line, error, text }) => ({ batch_id: batch.id, line, is_error: flag(error !== null), text })),
  )
  const failed = added.filter(({ error }) => error !== null).length
  for (const isError of [false, true]) {
    const bytes = added.reduce(
      (sum, each) => sum + ((each.error !== null) === isError ? Buffer.byteLength(each.text) + 1 : 0),
      0,
    )
    const fileId = isError ? batch.error_file_id : batch.output_file_id
    if (bytes === 0 || fileId === null) continue
    await trx
      .updateTable('files')
      .set(({ eb }) => ({ bytes: eb('bytes', '+', bytes) }))
      .where('id', '=', fileId)
      .execute()
  }
  return {
    completed: batch.completed + added.length - failed,
    failed: batch.failed + failed,
    undone: batch.undone + added.filter(({ isUndone = false }) => isUndone).length,
    ...costWith(batch, added),
    ...usageWith(batch, added),
    ...(failed > 0 && { failures: failuresWith(batch, added) }),
  }
}

function costWith({ cost }: BatchesTable, added: readonly LineResult[]): Partial<BatchesTable> {
  const priced = added.flatMap(({ cost: own }) => own ?? [])
  return priced.length === 0 ? {} : { cost: priced.reduce((sum, own) => sum + own, cost ?? 0) }
}

function usageWith({ usage }: BatchesTable, added: readonly LineResult[]): Partial<BatchesTable> {
  const counted = added.flatMap(({ usage: own }) => own ?? [])
  if (counted.length === 0) return {}
  const before = usage === null ? noTokens : (JSON.parse(usage) as BatchUsage)
  const sum = counted.reduce(
    (total, own) => ({
      input: total.input + own.input,
      cached: total.cached + own.cached,
      output: total.output + own.output,
      reasoning: total.reasoning + own.reasoning,
    }),
    before,
  )
  return { usage: JSON.stringify(sum) }
}

const noTokens: BatchUsage = { input: 0, cached: 0, output: 0, reasoning: 0 }

function failuresWith({ failures }: BatchesTable, added: readonly LineResult[]): string {
  const counts = new Map(Object.entries((failures === null ? {} : JSON.parse(failures)) as Record<string, number>))
  for (const { error } of added) {
    if (error === null) continue
    const own = error.slice(0, codeLettersMax)
    const code = counts.has(own) || counts.size < codesMax ? own : otherCode
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return JSON.stringify(Object.fromEntries(counts))
}

/** What the end of these jobs changes in the row of the batch. */
async function endParts(
  trx: Transaction<Tables>,
  { id, parts_left: left, outcome }: BatchesTable,
  { ended, now }: { readonly ended: readonly number[]; readonly now: number },
): Promise<Partial<BatchesTable>> {
  for (const part of ended)
    await trx.deleteFrom('batch_jobs').where('batch_id', '=', id).where('part', '=', part).execute()
  const isOver = left === ended.length
  if (isOver) await wakeWholeJob(trx, id, now)
  return {
    parts_left: left - ended.length,
    ...(isOver && outcome === null && { status: 'finalizing', finalizing_at: now }),
  }
}

/** Bytes and not texts: a file needs no strings, and `octet_length` is known without reading the text. */
async function page(
  { kysely, engine }: Connection,
  batchId: string,
  isError: boolean,
  after: number,
): Promise<readonly StoredResult[]> {
  const ofKind = kysely
    .selectFrom('batch_results')
    .where('batch_id', '=', batchId)
    .where('is_error', '=', flag(isError))
    .where('line', '>', after)
    .orderBy('line')
  const sizes = await ofKind
    .select(['line', sql<number>`octet_length(text)`.as('size')])
    .limit(pageRows)
    .execute()
  let bytes = 0
  const fitting = sizes.filter(({ size }) => (bytes += Number(size)) <= pageBytes).length
  if (sizes.length === 0) return []
  const bytesOf = engine === 'sqlite' ? sql<Uint8Array>`cast(text as blob)` : sql<Uint8Array>`convert_to(text, 'UTF8')`
  return ofKind
    .select(['line', bytesOf.as('bytes')])
    .limit(Math.max(1, fitting))
    .execute()
}

async function finishFile(trx: Transaction<Tables>, id: string | null, file: FinishedFile): Promise<void> {
  if (id === null) return
  if (file === null) return void (await trx.deleteFrom('files').where('id', '=', id).execute())
  const { sha256, bytes, expiresAt, place } = file
  await trx.updateTable('files').set({ sha256, bytes, expires_at: expiresAt, place }).where('id', '=', id).execute()
}

/** One batch at a time in small statements, since a batch may have tens of thousands. */
async function purgeResults({ kysely }: Connection, limit: number): Promise<number> {
  const batch = await kysely
    .selectFrom('batches')
    .select('id')
    .where('ended_at', 'is not', null)
    .where('has_results', '=', 1)
    .limit(1)
    .executeTakeFirst()
  if (batch === undefined) return 0
  const rows = await kysely
    .selectFrom('batch_results')
    .select('line')
    .where('batch_id', '=', batch.id)
    .orderBy('line')
    .limit(limit)
    .execute()
  const last = rows.at(-1)?.line
  if (last === undefined)
    await kysely.updateTable('batches').set({ has_results: 0 }).where('id', '=', batch.id).execute()
  else await kysely.deleteFrom('batch_results').where('batch_id', '=', batch.id).where('line', '<=', last).execute()
  return Math.max(1, rows.length)
}
