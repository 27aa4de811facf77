/**
 * What was used: one row for each request, kept until it is purged. Rows are written behind, in
 * batches, and outlive the users, keys and models that they name.
 *
 * Their SQL is in usage-rows.ts. With SQLite it runs on a thread of its own (usage-thread.ts).
 */
import type { PriceList } from '#pricing/price.ts'
import type { Page, PageRequest, Place } from '../page.ts'
import type { Percentiles } from './spread.ts'
import { usageLine, type StoredUsage, type UsageRecord } from './usage-record.ts'
import { dayMs } from './usage-spans.ts'
import { type Summand } from './usage-sums.ts'

export interface UsageFilter {
  /** First moment that counts. */
  readonly from: number
  /** First moment that no longer counts. */
  readonly to: number
  readonly userId?: string | undefined
  readonly keyId?: string | undefined
  /** Canonical name of the model that served. */
  readonly model?: string | undefined
  /** Name of the provider that served. */
  readonly provider?: string | undefined
  /** Only users who are members now. */
  readonly groupId?: string | undefined
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

export interface UsageFindQuery {
  readonly requestId: string
  /** Only a request of this user. */
  readonly userId?: string | undefined
  /** Only a request that arrived at this moment: clients may send one id twice. */
  readonly at?: number | undefined
}

export interface UsageTotals {
  readonly requests: number
  /** Requests that were answered with a status of 400 or above. */
  readonly errors: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly requestBytes: number
  readonly responseBytes: number
  /** Part of the prompt tokens: read from a cache. */
  readonly cachedTokens: number
  /** Part of the prompt tokens: written to a cache. */
  readonly cacheWriteTokens: number
  /** Part of the completion tokens. */
  readonly reasoningTokens: number
  /** Sum over all requests. */
  readonly durationMs: number
  /** Streams that had a first token. */
  readonly firstTokens: number
  /** Sum over those, of the time until it. */
  readonly firstTokenMs: number
  /** Requests that were answered with a status of 500 or above. */
  readonly failures: number
  /** Tokens of streams whose time after the first token is known. */
  readonly streamTokens: number
  /** Sum over those, of that time. */
  readonly streamMs: number
  /** In 10^-9 of the currency: exact below 9 million of it. */
  readonly cost: number
}

/** With `group`, a request counts in each group of its user. */
export type UsageGrouping = 'model' | 'user' | 'key' | 'provider' | 'group' | 'none'

export interface UsageSeriesQuery extends UsageFilter {
  /** Length of a bucket; the first one begins at `from`. With `to - from` there is one bucket for all. */
  readonly bucketMs: number
  readonly groupBy: UsageGrouping
  /** Only these groups, by their names or ids; not with the groupings `group` and `none`. */
  readonly among?: readonly string[] | undefined
  /** Which groups the answer has: the largest, or a page of all in the order of their names. All when absent. */
  readonly groups?: UsageGroups | undefined
}

export interface LatencyQuery extends Pick<UsageFilter, 'from' | 'to' | 'model' | 'provider'> {
  readonly groupBy: 'model' | 'provider' | 'none'
  /** Only these groups. */
  readonly among?: readonly string[] | undefined
  /** Null for one bucket. */
  readonly bucketMs: number | null
}

/** How long the answered requests of a bucket took. */
export interface LatencyPoint {
  readonly at: number
  readonly group: string | null
  readonly duration: Percentiles
  /** The same for the time to the first token of streams. */
  readonly firstToken: Percentiles
}

export type UsageGroups =
  | { readonly kind: 'top'; readonly limit: number; readonly by?: 'requests' | 'cost' }
  | { readonly kind: 'page'; readonly limit: number; readonly cursor?: string | null | undefined }

export interface UsageSeries {
  /** In the order of time, then group; buckets without requests are left out. */
  readonly points: readonly UsagePoint[]
  /** The sums of the groups beside the largest; empty with a page. */
  readonly others: readonly UsagePoint[]
  /** Null when there is no further page. */
  readonly nextCursor: string | null
}

export interface UsagePoint extends UsageTotals {
  /** Beginning of the bucket. */
  readonly at: number
  /** Name of the model or provider, or id of the user, key or group; null when unknown, and always with grouping `none`. */
  readonly group: string | null
}

/** The counters of budgets beside the records that they are made of. */
export interface CounterProof {
  /** How many there are. */
  readonly counters: number
  /** Sum of all differences. */
  readonly difference: number
  /** The first of those that differ. */
  readonly wrong: readonly WrongCounter[]
}

export interface WrongCounter {
  readonly id: string
  readonly spent: number
  /** The same from the records, and for days whose records were purged from their sums. */
  readonly recomputed: number
}

/** A plain model with the prices by which its requests are priced, those that precede first. */
export interface RepricedModel {
  readonly id: string
  readonly name: string
  readonly prices: PriceList
}

export interface RecomputeStep {
  /** First moment that counts. */
  readonly from: number
  /** First moment that no longer counts. */
  readonly to: number
  readonly models: readonly RepricedModel[]
  /** Whether these are all models: otherwise only their rows are read. */
  readonly isEveryModel: boolean
  /** The last row of the step before; null for the first step. */
  readonly after: Place<number> | null
  /** Nothing is written. */
  readonly dryRun: boolean
}

export interface RecomputedStep {
  /** Rows that a provider has answered. */
  readonly rows: number
  /** Those of them that have, or would have, another cost. */
  readonly changed: number
  /** Those whose model does not exist any more: they keep their cost. */
  readonly skipped: number
  /** Sums of the known costs of all rows, before and after. */
  readonly before: number
  readonly after: number
  /** The last row; null when there is none behind it. */
  readonly last: Place<number> | null
}

/** Where the lines of a batch are in a journal. */
export interface JournalPlace {
  readonly journal: string
  /** Number of the first line; the others follow it without gaps. */
  readonly first: number
  /** The journal belongs to a process that is gone, or seems to be. */
  readonly recovering: boolean
  /** Its lines are of requests whose end nobody has written: those that have a record are left out. */
  readonly isAhead?: boolean
}

export interface UsageBatch {
  /** Lines as `usageLine` makes them, each with its line feed. */
  readonly text: string
  /** Null for records that are in no journal. */
  readonly place: JournalPlace | null
}

export interface UsageBreakdownQuery {
  readonly from: number
  readonly to: number
  /** `series` of the last one of the page before; 0 for the first. */
  readonly after: number
  readonly limit: number
}

/** Empty texts are unknown or none. */
export interface UsageBreakdown {
  readonly series: number
  readonly userId: string
  readonly keyId: string
  readonly model: string
  readonly provider: string
  readonly sums: Readonly<Record<Summand, number>>
}

export interface UsageStore {
  /** Adds rows, all or none. Texts that came from clients are cut at 256 characters. */
  insertMany(records: readonly UsageRecord[]): Promise<void>
  /** Adds the rows of a batch, all or none; those of its journal that are stored already are left out. */
  write(batch: UsageBatch): Promise<void>
  /** The records of this journal up to this number are in no file any more, and will not be written again. */
  forget(journal: string, upTo: number): Promise<void>
  totals(filter: UsageFilter): Promise<UsageTotals>
  /** Throws InvalidCursor. */
  series(query: UsageSeriesQuery): Promise<UsageSeries>
  /** Percentiles that are at most 3.2 % off; buckets without an answered request are left out. */
  latency(query: LatencyQuery): Promise<readonly LatencyPoint[]>
  /** A page of rows, the newest first. Throws InvalidCursor. */
  list(query: UsageListQuery): Promise<Page<StoredUsage>>
  /** The newest row of this request id; null when there is none. */
  find(query: UsageFindQuery): Promise<StoredUsage | null>
  /**
   * Compares every counter of a budget with its records. @param retainedFrom days from this moment on have all their
   * records; earlier ones are taken from their sums
   */
  proveCounters(retainedFrom: number): Promise<CounterProof>
  /** Sums of whole hours of UTC for each user, key, model and provider that occur together, a page in their order. */
  breakdown(query: UsageBreakdownQuery): Promise<readonly UsageBreakdown[]>
  /** Prices some rows again, with their sums and counters in one transaction. */
  recompute(step: RecomputeStep): Promise<RecomputedStep>
  /**
   * Removes the rows from before this moment, in batches between which others can write; returns how many went one
   * by one. The sums stay. Nothing is removed before the sums have all rows.
   */
  purgeBefore(at: number): Promise<number>
  /** Prepares for the time after this moment, and sums up rows that are not in the sums yet, for half a second at most. */
  catchUp(now: number): Promise<void>
}

/** The parts of the work, each one statement or one short transaction. */
export interface UsageWork extends Pick<
  UsageStore,
  'write' | 'forget' | 'totals' | 'series' | 'latency' | 'list' | 'find' | 'proveCounters'
> {
  /** Removes some of the oldest rows from before this moment, and returns how many; 0 when none is left. */
  purgeSome(before: number): Promise<number>
  /** Sums up some rows that are not in the sums yet; false when there are none. */
  sumSome(): Promise<boolean>
  /** A page of `breakdown`, of which the sums have all rows. */
  readonly breakdownOfHours: (query: UsageBreakdownQuery) => Promise<readonly UsageBreakdown[]>
  /** A step of `recompute`, of which the sums have all rows. */
  recomputeSome(step: RecomputeStep): Promise<RecomputedStep>
  /** Makes what rows of these moments need. */
  prepare(moments: readonly number[]): Promise<void>
}

const catchUpMs = 500
/** Between two looks for rows that are not in the sums, when the last one found none. */
const idleMs = 60_000

/** The usage records, on top of the thread or connection that does the work. */
export function usageStore(work: UsageWork): UsageStore {
  const { write, forget, totals, series, latency, list, find, proveCounters } = work
  let lookAt = -Infinity
  return {
    async insertMany(records) {
      if (records.length > 0)
        await write({ text: records.map((record) => `${usageLine(record)}\n`).join(''), place: null })
    },
    write,
    forget,
    totals,
    series,
    latency,
    list,
    find,
    proveCounters,
    async breakdown(query) {
      while (await work.sumSome()) await turn()
      return await work.breakdownOfHours(query)
    },
    async recompute(step) {
      // A row whose cost changes before it is summed up would be counted twice.
      while (!step.dryRun && (await work.sumSome())) await turn()
      return await work.recomputeSome(step)
    },
    async purgeBefore(at) {
      let purged = 0
      for (;;) {
        const some = await work.purgeSome(at)
        if (some === 0) return purged
        purged += some
        await turn()
      }
    },
    async catchUp(now) {
      if (performance.now() < lookAt) return
      await work.prepare([now, now + dayMs])
      const until = performance.now() + catchUpMs
      while (await work.sumSome()) {
        if (performance.now() > until) return
        await turn()
      }
      lookAt = performance.now() + idleMs
    },
  }
}

/** A database in memory answers without ever leaving this thread: lets it serve requests in between. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
