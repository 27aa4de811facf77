/** The points of the charts: one for each bucket, including empty buckets. */
import type { RequestRecord, UsagePoint } from '../../api/schema.d.ts'

export interface UsageSeries {
  readonly points: readonly UsagePoint[]
  /** Milliseconds since 1970, like all times here. */
  readonly from: number
  readonly to: number
}

export type Sums = Pick<UsagePoint, 'requests' | 'errors' | 'prompt_tokens' | 'completion_tokens'>

const nothing: Sums = { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0 }

/** All buckets of the time range with their sums; the server leaves out empty ones. */
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
  /** The start of each. */
  readonly times: readonly number[]
  readonly bucketMs: number
}

const minuteMs = 60_000
/** Round bucket lengths, the shortest first. */
const bucketLengths = [1, 2, 5, 10, 15, 30, 60, 180, 360, 720, 1440].map((minutes) => minutes * minuteMs)
const bucketCount = 24

/** About 24 buckets from the first to the last request; none without requests. */
export function bucketsAround(requests: readonly Pick<RequestRecord, 'at'>[]): Buckets {
  const moments = requests.map(({ at }) => Date.parse(at))
  const [first, last] = [Math.min(...moments), Math.max(...moments)]
  const bucketMs = bucketLengths.find((ms) => (last - first) / ms <= bucketCount) ?? bucketLengths.at(-1) ?? minuteMs
  const start = first - (first % bucketMs)
  const count = moments.length === 0 ? 0 : Math.floor((last - start) / bucketMs) + 1
  return { times: Array.from({ length: count }, (_, index) => start + index * bucketMs), bucketMs }
}

/** The median time to first token in each bucket; null without streamed requests. */
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

/** The quantile of the values by nearest rank; null without values. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
