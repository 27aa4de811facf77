/** The queries of the overview, beside the usage itself. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource, type UsageScope, type UsageSpan } from '../../api/queries.ts'
import type { Grouping } from '../usage/queries.ts'
import { groupSums } from '../usage/usage-groups.ts'

const refetchInterval = 30_000
/** Rows of a panel. */
export const rowsMax = 5

function lastSpan(spanMs: number, before = 0) {
  const to = Date.now() - before
  return { from: new Date(to - spanMs).toISOString(), to: new Date(to).toISOString() }
}

/** Totals of as long a time, before the time range that ends now. */
export function totalsBeforeQuery(scope: UsageScope, spanMs: number) {
  return queryOptions({
    queryKey: [...resource.usage, 'before', scope, spanMs],
    queryFn: ({ signal }) => {
      const query = lastSpan(spanMs, spanMs)
      return scope === 'self'
        ? api('GET /admin/api/v1/me/usage', { query, signal })
        : api('GET /admin/api/v1/usage', { query, signal })
    },
    refetchInterval,
  })
}

/** Percentiles of the time range that ends now, or as long before; null without an answered request. Of all users. */
export function latencyQuery(spanMs: number, before = 0) {
  return queryOptions({
    queryKey: [...resource.usage, 'latency', spanMs, before],
    queryFn: async ({ signal }) =>
      (await api('GET /admin/api/v1/usage/latency', { query: lastSpan(spanMs, before), signal })).data[0] ?? null,
    refetchInterval,
  })
}

/** The same for each bucket of the charts. */
export function latencySeriesQuery({ spanMs, bucket }: UsageSpan) {
  return queryOptions({
    queryKey: [...resource.usage, 'latency series', spanMs],
    queryFn: async ({ signal }) =>
      (await api('GET /admin/api/v1/usage/latency', { query: { ...lastSpan(spanMs), bucket }, signal })).data,
    refetchInterval,
  })
}

/** The same for each provider. */
export function providerLatencyQuery(spanMs: number) {
  return queryOptions({
    queryKey: [...resource.usage, 'latency of providers', spanMs],
    queryFn: async ({ signal }) => {
      const query = { ...lastSpan(spanMs), group_by: 'provider' as const }
      return (await api('GET /admin/api/v1/usage/latency', { query, signal })).data
    },
    refetchInterval,
  })
}

/** The models, users or keys with the most requests, the largest first. Users see their own models and keys. */
export function topGroupsQuery(scope: UsageScope, by: Exclude<Grouping, 'group'>, { spanMs, bucket }: UsageSpan) {
  return queryOptions({
    queryKey: [...resource.usage, 'top', scope, by, spanMs],
    queryFn: async ({ signal }) => {
      const query = { ...lastSpan(spanMs), bucket, top: rowsMax }
      const { data } =
        scope === 'self'
          ? await api('GET /admin/api/v1/me/usage/series', {
              query: { ...query, group_by: by === 'user' ? 'none' : by },
              signal,
            })
          : await api('GET /admin/api/v1/usage/series', { query: { ...query, group_by: by }, signal })
      return groupSums(data)
    },
    refetchInterval,
  })
}

/** The latest requests that were answered with 400 or above. */
export function latestErrorsQuery(scope: UsageScope, spanMs: number) {
  return queryOptions({
    queryKey: [...resource.requests, 'latest errors', scope, spanMs],
    queryFn: async ({ signal }) => {
      const query = { ...lastSpan(spanMs), status: 'error' as const, limit: rowsMax }
      const page =
        scope === 'self'
          ? await api('GET /admin/api/v1/me/requests', { query, signal })
          : await api('GET /admin/api/v1/requests', { query, signal })
      return page.data
    },
    refetchInterval,
  })
}
