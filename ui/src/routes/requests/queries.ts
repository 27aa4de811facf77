/** The queries of the page of requests. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allItems, resource, type PageQuery, type UsageScope } from '../../api/queries.ts'
import type { RequestsSearch } from '../search.ts'
import { rangeOf } from '../time-range.ts'

const pageSize = 200

/**
 * Requests in pages, the newest first. The list changes only when the reader presses Refresh: rows
 * that move cannot be read, and reading fifty pages again would cost more than it shows.
 */
export function requestsQuery(scope: UsageScope, search: RequestsSearch) {
  const { span, from, to, model, user, key, provider, status } = search
  return infiniteQueryOptions({
    queryKey: [...resource.requests, 'list', scope, { span, from, to, model, user, key, provider, status }],
    queryFn: ({ pageParam, signal }) => readPage(scope, search, { limit: pageSize, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}

/** Requests that are shown while the list is live. */
export const liveCount = 100

/** The newest requests, to which a live list adds what ends. */
export function liveRequestsQuery(scope: UsageScope, search: RequestsSearch) {
  const { span, from, to, model, user, key, provider, status } = search
  return queryOptions({
    queryKey: [...resource.requests, 'live', scope, { span, from, to, model, user, key, provider, status }],
    queryFn: ({ signal }) => readPage(scope, search, { limit: liveCount, cursor: null }, signal),
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
}

/** The stream of what ends, with the filters of the list. */
export function livePath(scope: UsageScope, search: RequestsSearch): string {
  const query = new URLSearchParams(filterOf(scope, search))
  return `/admin/api/v1/${scope === 'self' ? 'me/' : ''}live/requests${query.size === 0 ? '' : `?${query}`}`
}

/** One request by its id, and by the time of its arrival where that is known. */
export function requestQuery(scope: UsageScope, id: string, at: string | undefined) {
  const asked = { params: { id }, query: at === undefined ? {} : { at } }
  return queryOptions({
    queryKey: [...resource.requests, 'one', scope, id, at ?? ''],
    queryFn: ({ signal }) =>
      scope === 'self'
        ? api('GET /admin/api/v1/me/requests/{id}', { ...asked, signal })
        : api('GET /admin/api/v1/requests/{id}', { ...asked, signal }),
    // A record changes only in its cost.
    staleTime: 60_000,
  })
}

/** The logged content of a request without its texts; undefined data while it is read, null when there is none. */
export function loggedContentQuery(requestId: string) {
  return queryOptions({
    queryKey: [...resource.requests, 'logged', requestId],
    queryFn: async ({ signal }) => {
      const query = { request_id: requestId, limit: 1 }
      return (await api('GET /admin/api/v1/content-logs', { query, signal })).data[0] ?? null
    },
    staleTime: 60_000,
  })
}

/** The logged content itself. Each reading of it is in the audit log, so it is read once. */
export function contentQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.requests, 'content', id],
    queryFn: ({ signal }) => api('GET /admin/api/v1/content-logs/{id}', { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}

interface PagePlace {
  readonly limit: number
  readonly cursor: string | null
}

function readPage(scope: UsageScope, search: RequestsSearch, { limit, cursor }: PagePlace, signal: AbortSignal) {
  const { span, from, to } = search
  const range = rangeOf({ span, from, to }, Date.now())
  const query = {
    limit,
    from: new Date(range.from).toISOString(),
    ...(span === 'custom' && { to: new Date(range.to).toISOString() }),
    ...filterOf(scope, search),
    ...(cursor !== null && { cursor }),
  }
  return scope === 'self'
    ? api('GET /admin/api/v1/me/requests', { query, signal })
    : api('GET /admin/api/v1/requests', { query, signal })
}

/** Which requests are wanted, beside their time; only administrators choose a user. */
function filterOf(scope: UsageScope, { model, user, key, provider, status }: RequestsSearch) {
  return {
    ...(model !== undefined && { model }),
    ...(key !== undefined && { key_id: key }),
    ...(provider !== undefined && { provider }),
    ...(status !== undefined && { status }),
    ...(user !== undefined && scope === 'everyone' && { user_id: user }),
  }
}

/** The keys to choose from: all own keys, all keys of a user, or the first keys of the server. */
export function keyChoicesQuery(scope: UsageScope, user: string | undefined) {
  return queryOptions({
    queryKey: [...resource.keys, 'choices', scope, user ?? ''],
    queryFn: async ({ signal }) => {
      if (scope === 'self') {
        return { keys: await allItems((query) => api('GET /admin/api/v1/me/keys', { query, signal })), hasMore: false }
      }
      if (user !== undefined) {
        const params = { id: user }
        const read = (query: PageQuery) => api('GET /admin/api/v1/users/{id}/keys', { params, query, signal })
        return { keys: await allItems(read), hasMore: false }
      }
      const { data, next_cursor: next } = await api('GET /admin/api/v1/keys', { query: { limit: pageSize }, signal })
      return { keys: data, hasMore: next !== null }
    },
    staleTime: 60_000,
  })
}
