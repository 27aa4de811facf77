/** What the usage page reads. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource, type UsageReach } from '../../api/queries.ts'
import type { UsagePoint, UsageTotals } from '../../api/schema.d.ts'
import { bucketOf, rangeOf, type Bucket, type RangeSearch } from '../time-range.ts'

export type Grouping = 'model' | 'user' | 'key'

/** Stands for requests that named a model which does not exist. */
export const unknownModel = 'unknown model'

export interface GroupedUsage {
  readonly by: Grouping
  readonly totals: UsageTotals
  readonly bucket: Bucket
  /** Buckets without requests are left out. */
  readonly points: readonly UsagePoint[]
  /** Milliseconds since 1970; the first bucket begins here. */
  readonly from: number
  readonly to: number
}

export interface UsageFilter {
  readonly range: RangeSearch
  readonly by: Grouping
}

/** Sums, and their course parted by model, user or key. */
export function groupedUsageQuery(reach: UsageReach, { range: { span, from, to }, by }: UsageFilter) {
  return queryOptions<GroupedUsage>({
    queryKey: [...resource.usage, 'grouped', reach, span ?? '', from ?? '', to ?? '', by],
    queryFn: async ({ signal }): Promise<GroupedUsage> => {
      const range = rangeOf({ span, from, to }, Date.now())
      const bucket = bucketOf(range)
      const query = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }
      const series = { ...query, bucket: bucket.name }
      const [totals, points] =
        reach === 'self'
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
    // Another span takes the place of this one when it is there; ids of users cannot stand among names of models.
    placeholderData: (before: GroupedUsage | undefined) => (before?.by === by ? before : undefined),
    refetchInterval: 60_000,
  })
}
