/**
 * The queries that several pages share. The key of a query begins with its resource, so a change can
 * refresh everything about the resource.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** The first part of a query key. */
export const resource = {
  session: ['session'],
  keys: ['keys'],
  models: ['models'],
  groups: ['groups'],
  users: ['users'],
  usage: ['usage'],
  requests: ['requests'],
  inflight: ['inflight'],
  settings: ['settings'],
  documents: ['documents'],
  providers: ['providers'],
  budgets: ['budgets'],
  prices: ['prices'],
  webhooks: ['webhooks'],
  sources: ['sources'],
  batches: ['batches'],
  files: ['files'],
  vectorStores: ['vector-stores'],
  audit: ['audit'],
  exports: ['exports'],
} as const satisfies Record<string, readonly [string]>

const pageSize = 100

/** The session. Throws ApiError 401 when no user is signed in. */
export const sessionQuery = queryOptions({
  queryKey: resource.session,
  queryFn: ({ signal }) => api('GET /admin/api/v1/session', { signal }),
  staleTime: 60_000,
})

/** The models that the caller can use, and the currency of their prices. */
export const ownCatalogueQuery = queryOptions({
  queryKey: [...resource.models, 'own'],
  queryFn: ({ signal }) => api('GET /admin/api/v1/me/models', { signal }),
})

/** The models that the caller can use. */
export const ownModelsQuery = queryOptions({ ...ownCatalogueQuery, select: ({ data }) => data })

export type KeyOwner = 'self' | 'anyone'

export interface KeyFilter {
  readonly q?: string
  readonly sort?: 'created' | 'name' | 'last_used' | 'expires'
  readonly order?: 'asc' | 'desc'
  /** Only the keys of this user; for administrators. */
  readonly user_id?: string
}

/** API keys in pages: the caller's own, or for administrators everyone's. */
export function keysQuery(owner: KeyOwner, filter: KeyFilter = {}) {
  return infiniteQueryOptions({
    queryKey: [...resource.keys, owner, filter],
    queryFn: ({ pageParam, signal }) => {
      const { user_id, ...own } = filter
      const query = { limit: pageSize, ...own, ...(pageParam !== null && { cursor: pageParam }) }
      return owner === 'self'
        ? api('GET /admin/api/v1/me/keys', { query, signal })
        : api('GET /admin/api/v1/keys', { query: { ...query, ...(user_id !== undefined && { user_id }) }, signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // The previous list stays visible while the next one loads.
    placeholderData: keepPreviousData,
  })
}

/** What each of these keys, users or models was used in the last 30 days. */
export function activityQuery(scope: UsageScope, of: 'key' | 'user' | 'model', ids: readonly string[]) {
  return queryOptions({
    queryKey: [...resource.usage, 'activity', scope, of, ids],
    queryFn: async ({ signal }) => {
      const answer =
        scope === 'self' && of !== 'user'
          ? await api('GET /admin/api/v1/me/usage/activity', { query: { of, ids: ids.join(',') }, signal })
          : await api('GET /admin/api/v1/usage/activity', { query: { of, ids: ids.join(',') }, signal })
      return new Map(answer.data.map((each) => [each.id, { ...each, from: answer.from, currency: answer.currency }]))
    },
    staleTime: 60_000,
  })
}

/** A page of a list, as the server returns it. */
export interface Page<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

export type PageQuery = { readonly limit: number; readonly cursor?: string }
type ReadPage<Item> = (query: PageQuery) => Promise<Page<Item>>

/** Reads a list page by page, in the largest pages that the server allows. */
export async function* pagesOf<Item>(read: ReadPage<Item>): AsyncGenerator<readonly Item[]> {
  let cursor: string | null = null
  do {
    const page: Page<Item> = await read({ limit: 200, ...(cursor !== null && { cursor }) })
    yield page.data
    cursor = page.next_cursor
  } while (cursor !== null)
}

/** Reads a whole list, however many pages it has. */
export async function allItems<Item>(read: ReadPage<Item>): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const page of pagesOf(read)) items.push(...page)
  return items
}

/** Every group; for administrators. */
export const allGroupsQuery = queryOptions({
  queryKey: [...resource.groups, 'all'],
  queryFn: ({ signal }) => allItems((query) => api('GET /admin/api/v1/groups', { query, signal })),
})

/** Every model, active or not; for administrators. */
export const allModelsQuery = queryOptions({
  queryKey: [...resource.models, 'all'],
  queryFn: ({ signal }) => allItems((query) => api('GET /admin/api/v1/models', { query, signal })),
})

/** Every provider; for administrators. */
export const allProvidersQuery = queryOptions({
  queryKey: [...resource.providers, 'all'],
  queryFn: ({ signal }) => allItems((query) => api('GET /admin/api/v1/providers', { query, signal })),
})

/** Whose data to show: the caller's own, or everyone's. */
export type UsageScope = 'self' | 'everyone'

export interface UsageSpan {
  /** The length of the time range that ends now. */
  readonly spanMs: number
  readonly bucket: 'minute' | 'hour' | 'day'
}

/** Totals and a time series, for a time range that ends now. */
export function usageQuery(scope: UsageScope, { spanMs, bucket }: UsageSpan) {
  return queryOptions({
    queryKey: [...resource.usage, scope, spanMs, bucket],
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const query = { from: new Date(to - spanMs).toISOString(), to: new Date(to).toISOString() }
      const series = { ...query, bucket }
      const [totals, points] =
        scope === 'self'
          ? await Promise.all([
              api('GET /admin/api/v1/me/usage', { query, signal }),
              api('GET /admin/api/v1/me/usage/series', { query: series, signal }),
            ])
          : await Promise.all([
              api('GET /admin/api/v1/usage', { query, signal }),
              api('GET /admin/api/v1/usage/series', { query: series, signal }),
            ])
      return { totals, points: points.data, from: Date.parse(points.from), to: Date.parse(points.to) }
    },
    refetchInterval: 30_000,
  })
}

/** How many requests run now on each model; for administrators. */
export const inflightQuery = queryOptions({
  queryKey: resource.inflight,
  queryFn: async ({ signal }) => await api('GET /admin/api/v1/inflight', { signal }),
  refetchInterval: 5000,
})
