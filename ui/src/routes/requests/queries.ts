/** What the page of requests reads. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource, type UsageReach } from '../../api/queries.ts'
import type { RequestsSearch } from '../search.ts'
import { rangeOf } from '../time-range.ts'

const pageSize = 200

/**
 * Requests in pages, the newest first. What was read stays as it is until somebody asks anew: a list
 * that changes under the reader's eyes cannot be read, and fetching fifty pages again helps nobody.
 */
export function requestsQuery(reach: UsageReach, search: RequestsSearch) {
  const { span, from, to, model, user, key, status } = search
  return infiniteQueryOptions({
    queryKey: [...resource.requests, 'list', reach, { span, from, to, model, user, key, status }],
    queryFn: ({ pageParam, signal }) => {
      const range = rangeOf({ span, from, to }, Date.now())
      const query = {
        limit: pageSize,
        from: new Date(range.from).toISOString(),
        ...(span === 'custom' && { to: new Date(range.to).toISOString() }),
        ...(model !== undefined && { model }),
        ...(key !== undefined && { key_id: key }),
        ...(status !== undefined && { status }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return reach === 'self'
        ? api('GET /admin/api/v1/me/requests', { query, signal })
        : api('GET /admin/api/v1/requests', {
            query: { ...query, ...(user !== undefined && { user_id: user }) },
            signal,
          })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}

/** Users whose address has this in it; for administrators. */
export function userSearchQuery(email: string) {
  return queryOptions({
    queryKey: [...resource.users, 'search', email],
    queryFn: async ({ signal }) =>
      (await api('GET /admin/api/v1/users', { query: { limit: 20, ...(email !== '' && { email }) }, signal })).data,
    staleTime: 60_000,
  })
}

/** The keys to choose from: the own ones, those of a user, or the oldest of all. */
export function keyChoicesQuery(reach: UsageReach, user: string | undefined) {
  return queryOptions({
    queryKey: [...resource.keys, 'choices', reach, user ?? ''],
    queryFn: async ({ signal }) => {
      const query = { limit: pageSize }
      if (reach === 'self') return (await api('GET /admin/api/v1/me/keys', { query, signal })).data
      if (user === undefined) return (await api('GET /admin/api/v1/keys', { query, signal })).data
      return (await api('GET /admin/api/v1/users/{id}/keys', { params: { id: user }, query, signal })).data
    },
    staleTime: 60_000,
  })
}
