/** The queries of the page of usage. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource, type UsageScope } from '../../api/queries.ts'
import type { UsagePoint, UsageTotals } from '../../api/schema.d.ts'
import { bucketOf, rangeOf, type Bucket, type RangeSearch } from '../time-range.ts'

export type Grouping = 'model' | 'user' | 'key'

/** The label of requests whose model does not exist. */
export const unknownModel = 'unknown model'

export interface GroupedUsage {
  readonly by: Grouping
  readonly totals: UsageTotals
  readonly bucket: Bucket
  /** Empty buckets are left out. */
  readonly points: readonly UsagePoint[]
  /** The start of the first bucket, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

export interface UsageFilter {
  readonly range: RangeSearch
  readonly by: Grouping
}

/** Totals, and a time series by model, user or key. */
export function groupedUsageQuery(scope: UsageScope, { range: { span, from, to }, by }: UsageFilter) {
  return queryOptions<GroupedUsage>({
    queryKey: [...resource.usage, 'grouped', scope, span ?? '', from ?? '', to ?? '', by],
    queryFn: async ({ signal }): Promise<GroupedUsage> => {
      const range = rangeOf({ span, from, to }, Date.now())
      const bucket = bucketOf(range)
      const query = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }
      const series = { ...query, bucket: bucket.name }
      const [totals, points] =
        scope === 'self'
          ? await Promise.all([
              api('GET /admin/api/v1/me/usage', { query, signal }),
              api('GET /admin/api/v1/me/usage/series', {
                query: { ...series, group_by: by === 'user' ? 'none' : by },
                signal,
              }),
            ])
          : await Promise.all([
              api('GET /admin/api/v1/usage', { query, signal }),
              api('GET /admin/api/v1/usage/series', { query: { ...series, group_by: by }, signal }),
            ])
      return { by, totals, bucket, points: points.data, from: Date.parse(points.from), to: Date.parse(points.to) }
    },
    // The previous time range stays visible while the next one loads, but not with another grouping.
    placeholderData: (before: GroupedUsage | undefined) => (before?.by === by ? before : undefined),
    refetchInterval: 60_000,
  })
}
