/** Exports of usage: one row for each period and version, so that no period is exported twice, and their files. */
import { sql, type Kysely, type Selectable, type SqlBool } from 'kysely'
import type { Database } from '../database.ts'
import { decodeCursor, pageOf, type Page, type PageRequest } from '../page.ts'
import type { Tables, UsageExportsTable } from '../schema.ts'

export const exportPeriods = ['day', 'month'] as const
export type ExportPeriod = (typeof exportPeriods)[number]
export const exportFormats = ['csv', 'parquet'] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface PlannedExport {
  readonly id: string
  readonly period: ExportPeriod
  readonly startsAt: number
  readonly endsAt: number
  /** In which its days are days. */
  readonly timeZone: string
  /** 1 for the first; a restatement has the next one. */
  readonly version: number
  readonly createdAt: number
}

/** What its files add up to. */
export interface ExportTotals {
  readonly rows: number
  readonly requests: number
  /** In 10^-9 of the currency. */
  readonly cost: number
}

export interface UsageExport extends PlannedExport {
  readonly state: 'pending' | 'done'
  /** Why the last attempt failed; null when none did. */
  readonly error: string | null
  /** Null while it is pending. */
  readonly totals: ExportTotals | null
  readonly finishedAt: number | null
  readonly files: readonly ExportFile[]
}

export interface ExportFile {
  readonly format: ExportFormat
  readonly blobId: string
  readonly sha256: string
  readonly bytes: number
}

export interface ExportStore {
  /** Adds those whose period has no row yet. */
  plan(exports: readonly PlannedExport[]): Promise<void>
  /** The end of the last period that was planned; null for none. */
  plannedUntil(period: ExportPeriod): Promise<number | null>
  /** Some that are still to be made, the oldest first. */
  pending(limit: number): Promise<readonly UsageExport[]>
  /** False when it was done already: its files are those of another process. */
  finish(
    id: string,
    end: { readonly totals: ExportTotals; readonly files: readonly ExportFile[]; readonly at: number },
  ): Promise<boolean>
  /** Notes why an attempt failed. */
  fail(id: string, error: string): Promise<void>
  /** The newest first. Throws InvalidCursor. */
  list(request: PageRequest): Promise<Page<UsageExport>>
  find(id: string): Promise<UsageExport | null>
  /** Plans the next version of the same period; its id, or null when there is no such export. */
  restate(id: string, next: { readonly id: string; readonly at: number }): Promise<string | null>
}

type Row = Selectable<UsageExportsTable>

/** The exports of this database. */
export function exportStore({ kysely }: Database): ExportStore {
  return { ...work(kysely), ...restatements(kysely), ...reads(kysely) }
}

type Names<Name extends keyof ExportStore> = Pick<ExportStore, Name>

function work(kysely: Kysely<Tables>): Names<'plan' | 'plannedUntil' | 'pending' | 'finish' | 'fail'> {
  return {
    async plan(exports) {
      for (const planned of exports)
        await kysely
          .insertInto('usage_exports')
          .values(rowOf(planned))
          .onConflict((conflict) => conflict.columns(['period', 'starts_at', 'version']).doNothing())
          .execute()
    },
    async plannedUntil(period) {
      const row = await kysely
        .selectFrom('usage_exports')
        .select('ends_at')
        .where('period', '=', period)
        .orderBy('starts_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.ends_at ?? null
    },
    async pending(limit) {
      const query = kysely.selectFrom('usage_exports').selectAll().where('state', '=', 'pending')
      return withFiles(kysely, await query.orderBy('created_at').orderBy('starts_at').limit(limit).execute())
    },
    finish: (id, { totals, files, at }) =>
      kysely.transaction().execute(async (trx) => {
        const { rows: row_count, requests, cost } = totals
        const result = await trx
          .updateTable('usage_exports')
          .set({ state: 'done', error: null, row_count, requests, cost, finished_at: at })
          .where('id', '=', id)
          .where('state', '=', 'pending')
          .executeTakeFirst()
        if (result.numUpdatedRows === 0n) return false
        const rows = files.map(({ format, blobId, sha256, bytes }) => ({
          export_id: id,
          format,
          blob_id: blobId,
          sha256,
          bytes,
        }))
        if (rows.length > 0) await trx.insertInto('usage_export_files').values(rows).execute()
        return true
      }),
    async fail(id, error) {
      await kysely
        .updateTable('usage_exports')
        .set({ error })
        .where('id', '=', id)
        .where('state', '=', 'pending')
        .execute()
    },
  }
}

function restatements(kysely: Kysely<Tables>): Names<'restate'> {
  return {
    restate: (id, next) =>
      kysely.transaction().execute(async (trx) => {
        const row = await trx.selectFrom('usage_exports').selectAll().where('id', '=', id).executeTakeFirst()
        if (row === undefined) return null
        const same = trx
          .selectFrom('usage_exports')
          .where('period', '=', row.period)
          .where('starts_at', '=', row.starts_at)
        const waiting = await same.select('id').where('state', '=', 'pending').executeTakeFirst()
        if (waiting !== undefined) return waiting.id
        const { newest } = await same.select(sql<number>`max(version)`.as('newest')).executeTakeFirstOrThrow()
        const planned = { ...exportOf(row, []), id: next.id, version: newest + 1, createdAt: next.at }
        await trx.insertInto('usage_exports').values(rowOf(planned)).execute()
        return next.id
      }),
  }
}

function reads(kysely: Kysely<Tables>): Names<'list' | 'find'> {
  return {
    async list({ cursor, limit }) {
      let query = kysely.selectFrom('usage_exports').selectAll()
      if (cursor !== undefined && cursor !== null) {
        const { at, id } = decodeCursor(cursor)
        query = query.where(sql<SqlBool>`(starts_at, id) < (${at}, ${id})`)
      }
      const rows = await query
        .orderBy('starts_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const found = await withFiles(kysely, rows)
      return pageOf(found, limit, { item: (each) => each, place: ({ startsAt, id }) => ({ at: startsAt, id }) })
    },
    async find(id) {
      const rows = await kysely.selectFrom('usage_exports').selectAll().where('id', '=', id).execute()
      return (await withFiles(kysely, rows))[0] ?? null
    },
  }
}

async function withFiles(kysely: Kysely<Tables>, rows: readonly Row[]): Promise<readonly UsageExport[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const files = await kysely
    .selectFrom('usage_export_files')
    .selectAll()
    .where('export_id', 'in', ids)
    .orderBy('format')
    .execute()
  const byExport = Map.groupBy(files, (file) => file.export_id)
  return rows.map((row) =>
    exportOf(
      row,
      (byExport.get(row.id) ?? []).map(({ format, blob_id: blobId, sha256, bytes }) => ({
        format: format as ExportFormat,
        blobId,
        sha256,
        bytes,
      })),
    ),
  )
}

function rowOf({ id, period, startsAt, endsAt, timeZone, version, createdAt }: PlannedExport): Row {
  return {
    id,
    period,
    starts_at: startsAt,
    ends_at: endsAt,
    time_zone: timeZone,
    version,
    state: 'pending',
    error: null,
    row_count: null,
    requests: null,
    cost: null,
    created_at: createdAt,
    finished_at: null,
  }
}

function exportOf(row: Row, files: readonly ExportFile[]): UsageExport {
  const { row_count: rows, requests, cost } = row
  return {
    id: row.id,
    period: row.period as ExportPeriod,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    timeZone: row.time_zone,
    version: row.version,
    createdAt: row.created_at,
    state: row.state as UsageExport['state'],
    error: row.error,
    totals: rows === null || requests === null || cost === null ? null : { rows, requests, cost },
    finishedAt: row.finished_at,
    files,
  }
}
