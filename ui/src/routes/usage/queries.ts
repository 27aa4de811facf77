/** The queries of the page of usage. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource, type UsageScope } from '../../api/queries.ts'
import type { UsagePoint, UsageSeries, UsageTotals } from '../../api/schema.d.ts'
import type { Weight } from './usage-groups.ts'
import { bucketOf, rangeOf, type Bucket, type RangeSearch } from '../time-range.ts'

export type Grouping = 'model' | 'user' | 'key' | 'group'

/** The label of requests whose model does not exist. */
export const unknownModel = 'unknown model'

export interface GroupedUsage {
  readonly by: Grouping
  readonly totals: UsageTotals
  readonly bucket: Bucket
  /** The largest groups; empty buckets are left out. */
  readonly points: readonly UsagePoint[]
  /** The sums of all other groups. */
  readonly others: readonly UsagePoint[]
  /** The start of the first bucket, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

/** Groups in the table; the CSV file has all. */
export const topGroups = 50

export interface UsageFilter {
  readonly range: RangeSearch
  readonly by: Grouping
  readonly weight: Weight
}

/** Totals, and a time series by model, user, key or group. */
export function groupedUsageQuery(scope: UsageScope, { range: { span, from, to }, by, weight }: UsageFilter) {
  return queryOptions<GroupedUsage>({
    queryKey: [...resource.usage, 'grouped', scope, span ?? '', from ?? '', to ?? '', by, weight],
    queryFn: async ({ signal }): Promise<GroupedUsage> => {
      const range = rangeOf({ span, from, to }, Date.now())
      const bucket = bucketOf(range)
      const query = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }
      const series = { ...query, bucket: bucket.name, top: topGroups, top_by: weight }
      const [totals, points] =
        scope === 'self'
          ? await Promise.all([
              api('GET /admin/api/v1/me/usage', { query, signal }),
              api('GET /admin/api/v1/me/usage/series', {
                query: { ...series, group_by: ownGrouping(by) },
                signal,
              }),
            ])
          : await Promise.all([
              api('GET /admin/api/v1/usage', { query, signal }),
              api('GET /admin/api/v1/usage/series', { query: { ...series, group_by: by }, signal }),
            ])
      const { data, others, from: first, to: last } = points
      return { by, totals, bucket, points: data, others, from: Date.parse(first), to: Date.parse(last) }
    },
    // The previous time range stays visible while the next one loads, but not with another grouping.
    placeholderData: (before: GroupedUsage | undefined) => (before?.by === by ? before : undefined),
    refetchInterval: 60_000,
  })
}

/** Users see no users and no groups. */
export function ownGrouping(by: Grouping): 'model' | 'key' | 'none' {
  return by === 'user' || by === 'group' ? 'none' : by
}

/** The points of all groups, read page by page. */
export async function readAllPoints(scope: UsageScope, { by, bucket, from, to }: GroupedUsage): Promise<UsagePoint[]> {
  const points: UsagePoint[] = []
  let cursor: string | null = null
  do {
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), bucket: bucket.name }
    const query = { ...range, limit: 200, ...(cursor !== null && { cursor }) }
    const page: UsageSeries =
      scope === 'self'
        ? await api('GET /admin/api/v1/me/usage/series', { query: { ...query, group_by: ownGrouping(by) } })
        : await api('GET /admin/api/v1/usage/series', { query: { ...query, group_by: by } })
    points.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return points
}
