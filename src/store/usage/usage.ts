/**
 * What was used: one row for each request, kept until it is purged. Rows are written behind, in
 * batches, and outlive the users, keys and models that they name.
 *
 * Their SQL is in usage-rows.ts. With SQLite it runs on a thread of its own (usage-thread.ts).
 */
import type { Page, PageRequest } from '../page.ts'
import { usageCells, type StoredUsage, type UsageCell, type UsageRecord } from './usage-record.ts'

export interface UsageFilter {
  /** First moment that counts. */
  readonly from: number
  /** First moment that no longer counts. */
  readonly to: number
  readonly userId?: string | undefined
  readonly keyId?: string | undefined
  /** Canonical name of the model that served. */
  readonly model?: string | undefined
}

/** A range of statuses, both ends included. */
export interface StatusRange {
  readonly first: number
  readonly last: number
}

export interface UsageListQuery extends UsageFilter, PageRequest {
  /** Only requests that were answered with one of these. */
  readonly status?: StatusRange | undefined
}

export interface UsageTotals {
  readonly requests: number
  /** Requests that were answered with a status of 400 or above. */
  readonly errors: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly requestBytes: number
  readonly responseBytes: number
  /** Sum over all requests. */
  readonly durationMs: number
}

export type UsageGrouping = 'model' | 'user' | 'key' | 'none'

export interface UsageSeriesQuery extends UsageFilter {
  /** Length of a bucket; the first one begins at `from`. With `to - from` there is one bucket for all. */
  readonly bucketMs: number
  readonly groupBy: UsageGrouping
}

export interface UsagePoint extends UsageTotals {
  /** Beginning of the bucket. */
  readonly at: number
  /** Name of the model, or id of the user or key; null when unknown, and always with grouping `none`. */
  readonly group: string | null
}

export interface UsageStore {
  /** Adds rows, all or none. Texts that came from clients are cut at 256 characters. */
  insertMany(records: readonly UsageRecord[]): Promise<void>
  totals(filter: UsageFilter): Promise<UsageTotals>
  /** Points in the order of time, then group; buckets without requests are left out. */
  series(query: UsageSeriesQuery): Promise<readonly UsagePoint[]>
  /** A page of rows, the newest first. Throws InvalidCursor. */
  list(query: UsageListQuery): Promise<Page<StoredUsage>>
  /** Removes the rows from before this moment, in batches between which others can write; returns how many. */
  purgeBefore(at: number): Promise<number>
}

/** The parts of the work, each one statement or one transaction. */
export interface UsageWork extends Pick<UsageStore, 'totals' | 'series' | 'list'> {
  /** Adds rows, all or none, from their cells one row after the other: cheaper to pass on than records. */
  insertCells(cells: readonly UsageCell[]): Promise<void>
  /** Removes some of the oldest rows from before this moment, and returns how many; 0 when none is left. */
  purgeSome(before: number): Promise<number>
}

/** The usage records, on top of the thread or connection that does the work. */
export function usageStore(work: UsageWork): UsageStore {
  const { totals, series, list } = work
  return {
    async insertMany(records) {
      if (records.length > 0) await work.insertCells(usageCells(records))
    },
    totals,
    series,
    list,
    async purgeBefore(at) {
      let purged = 0
      for (;;) {
        const some = await work.purgeSome(at)
        if (some === 0) return purged
        purged += some
        // A database in memory answers without ever leaving this thread: let it serve requests in between.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}
