/** The queries of the page of costs. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource, type UsageScope } from '../../api/queries.ts'
import { ownGrouping, type GroupedUsage } from '../usage/queries.ts'
import { groupSums } from '../usage/usage-groups.ts'
import { monthStart, type RangeSearch } from '../time-range.ts'
import { monthsOf, rangeBefore, type RangeBefore } from './months.ts'

/** Groups of the range before that are read; others are compared with nothing. */
const groupsBefore = 200

export interface CostBefore extends Pick<RangeBefore, 'name' | 'heading'> {
  readonly cost: number
  /** The cost of a group; null when it is not among those that were read. */
  readonly costOf: (group: string | null) => number | null
}

/** What the range before this one cost, in all and by group. */
export function costBeforeQuery(scope: UsageScope, search: RangeSearch, { by, bucket, from, to }: GroupedUsage) {
  const before = rangeBefore(search, { from, to })
  return queryOptions({
    queryKey: [...resource.usage, 'cost before', scope, by, bucket.name, before.from, before.to],
    queryFn: async ({ signal }): Promise<CostBefore> => {
      const range = { from: new Date(before.from).toISOString(), to: new Date(before.to).toISOString() }
      const query = { ...range, bucket: bucket.name, top: groupsBefore, top_by: 'cost' as const }
      const { data, others } = await (scope === 'self'
        ? api('GET /admin/api/v1/me/usage/series', { query: { ...query, group_by: ownGrouping(by) }, signal })
        : api('GET /admin/api/v1/usage/series', { query: { ...query, group_by: by }, signal }))
      const totals = await (scope === 'self'
        ? api('GET /admin/api/v1/me/usage', { query: range, signal })
        : api('GET /admin/api/v1/usage', { query: range, signal }))
      const costs = new Map(groupSums(data).map(({ group, cost }) => [group, cost]))
      return {
        name: before.name,
        heading: before.heading,
        cost: totals.cost,
        costOf: (group) => costs.get(group) ?? (others.length === 0 ? 0 : null),
      }
    },
    staleTime: 60_000,
  })
}

/** This month and the last one, day by day. */
export function monthsQuery(scope: UsageScope) {
  return queryOptions({
    queryKey: [...resource.usage, 'months', scope],
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const query = {
        from: new Date(monthStart(now, 1)).toISOString(),
        to: new Date(now).toISOString(),
        bucket: 'day',
      } as const
      const { data } = await (scope === 'self'
        ? api('GET /admin/api/v1/me/usage/series', { query, signal })
        : api('GET /admin/api/v1/usage/series', { query, signal }))
      return monthsOf(data, now)
    },
    refetchInterval: 60_000,
  })
}
