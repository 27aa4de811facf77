/** The points of the charts: one for each bucket, including empty buckets. */
import type { UsagePoint } from '../../api/schema.d.ts'

export interface UsageSeries {
  readonly points: readonly UsagePoint[]
  /** Milliseconds since 1970, like all times here. */
  readonly from: number
  readonly to: number
}

export type Sums = Pick<
  UsagePoint,
  'requests' | 'errors' | 'prompt_tokens' | 'completion_tokens' | 'first_tokens' | 'first_token_ms'
>

const nothing: Sums = {
  requests: 0,
  errors: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_tokens: 0,
  first_token_ms: 0,
}

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

/** The mean time to the first token, over the streams that had one; null without any. */
export function meanFirstTokenMs({
  first_tokens: count,
  first_token_ms: sum,
}: Pick<Sums, 'first_tokens' | 'first_token_ms'>): number | null {
  return count === 0 ? null : sum / count
}
