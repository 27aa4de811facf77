/** From what the server tells to points of a chart: one for each bucket, also where nothing happened. */
import type { RequestRecord, UsagePoint } from '../../api/schema.d.ts'

export interface UsageSeries {
  readonly points: readonly UsagePoint[]
  /** Milliseconds since 1970, as all times here. */
  readonly from: number
  readonly to: number
}

export type Sums = Pick<UsagePoint, 'requests' | 'errors' | 'prompt_tokens' | 'completion_tokens'>

const nothing: Sums = { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0 }

/** Every bucket of the span with its sums; the server leaves empty ones out. */
export function usagePoints(
  { points, from, to }: UsageSeries,
  bucketMs: number,
): readonly { readonly at: number; readonly sums: Sums }[] {
  const sumsAt = new Map(points.map((point) => [Date.parse(point.at), point]))
  const count = Math.max(1, Math.ceil((to - from) / bucketMs))
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * bucketMs
    return { at, sums: sumsAt.get(at) ?? nothing }
  })
}

export interface Buckets {
  /** Where each begins. */
  readonly times: readonly number[]
  readonly bucketMs: number
}

const minuteMs = 60_000
/** Lengths of buckets that people read easily, the shortest first. */
const easyBuckets = [1, 2, 5, 10, 15, 30, 60, 180, 360, 720, 1440].map((minutes) => minutes * minuteMs)
const bucketsWanted = 24

/** Buckets from the first to the last of these requests, about two dozen; none without requests. */
export function bucketsAround(requests: readonly Pick<RequestRecord, 'at'>[]): Buckets {
  const moments = requests.map(({ at }) => Date.parse(at))
  const [first, last] = [Math.min(...moments), Math.max(...moments)]
  const bucketMs = easyBuckets.find((ms) => (last - first) / ms <= bucketsWanted) ?? easyBuckets.at(-1) ?? minuteMs
  const start = first - (first % bucketMs)
  const count = moments.length === 0 ? 0 : Math.floor((last - start) / bucketMs) + 1
  return { times: Array.from({ length: count }, (_, index) => start + index * bucketMs), bucketMs }
}

/** The median time to the first token of the requests in each bucket; null where none was streamed. */
export function firstTokenPoints(
  requests: readonly Pick<RequestRecord, 'at' | 'first_token_ms'>[],
  { times, bucketMs }: Buckets,
): readonly { readonly at: number; readonly values: readonly [number | null] }[] {
  const byBucket = new Map<number, number[]>()
  for (const { at, first_token_ms: ms } of requests) {
    const time = Date.parse(at)
    if (ms !== null) byBucket.set(time - (time % bucketMs), [...(byBucket.get(time - (time % bucketMs)) ?? []), ms])
  }
  return times.map((at) => ({ at, values: [quantile(byBucket.get(at) ?? [], 0.5)] }))
}

/** The value below which this share of the values lies, by nearest rank; null without values. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
