/**
 * Histograms of times: how many requests took how long. A bucket is a sixteenth of a power of two wide, so a time that
 * is read from one is at most 3.2 % off, whatever its size; below 32 ms it is exact. Buckets are made of whole numbers
 * only, so that both databases and this code agree on every one.
 */
import { sql, type RawBuilder } from 'kysely'

/** Counts by bucket. */
export type Spread = Map<number, number>

/** Buckets of a power of two; all below twice as many are one millisecond wide. */
const parts = 16
/** Powers of two above the exact ones: up to 12 days. */
const octaves = 26
const longestMs = 2 ** (octaves + 5) - 1

/** The bucket of a time in milliseconds. */
export function bucketOfMs(ms: number): number {
  const whole = Math.min(Math.max(0, Math.floor(ms)), longestMs)
  const shift = shiftOf(whole)
  return parts * shift + Math.floor(whole / 2 ** shift)
}

/** The same of a column, as SQL of both engines. */
export function bucketOfColumn(column: RawBuilder<unknown>): RawBuilder<number> {
  const whens = Array.from({ length: octaves }, (_, index) => {
    const shift = index + 1
    return sql`when ${column} < ${sql.raw(String(2 ** (shift + 5)))} then ${sql.raw(String(parts * shift))} + ${column} / ${sql.raw(String(2 ** shift))}`
  })
  return sql<number>`case when ${column} < 0 then 0 when ${column} < 32 then ${column} ${sql.join(whens, sql` `)}
    else ${sql.raw(String(bucketOfMs(longestMs)))} end`
}

/** The time that is least wrong for all of a bucket. */
function msOfBucket(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / parts) - 1)
  const width = 2 ** shift
  const least = (bucket - parts * shift) * width
  return Math.round(least + (width - 1) / 2)
}

function shiftOf(whole: number): number {
  return whole < 2 * parts ? 0 : 27 - Math.clz32(whole)
}

/** Counts something more in a bucket. */
export function addTo(spread: Spread, bucket: number, count: number): void {
  spread.set(bucket, (spread.get(bucket) ?? 0) + count)
}

/** As it is stored: `bucket:count`, with blanks between them. */
export function spreadText(spread: Spread): string {
  return [...spread].map(([bucket, count]) => `${bucket}:${count}`).join(' ')
}

/** Adds what is stored. */
export function addText(spread: Spread, text: string): void {
  if (text === '') return
  for (const entry of text.split(' ')) {
    const colon = entry.indexOf(':')
    addTo(spread, Number(entry.slice(0, colon)), Number(entry.slice(colon + 1)))
  }
}

export interface Percentiles {
  /** How many times there are. */
  readonly count: number
  /** Half of them were not longer; null without any. */
  readonly p50Ms: number | null
  /** 95 of 100 were not longer. */
  readonly p95Ms: number | null
}

/** What a histogram says of its times. */
export function percentilesOf(spread: Spread): Percentiles {
  const ordered = [...spread].toSorted(([one], [other]) => one - other)
  const count = ordered.reduce((sum, [, each]) => sum + each, 0)
  const at = (share: number): number | null => {
    let below = 0
    for (const [bucket, each] of ordered) {
      below += each
      if (below >= share * count) return msOfBucket(bucket)
    }
    return null
  }
  return { count, p50Ms: at(0.5), p95Ms: at(0.95) }
}
