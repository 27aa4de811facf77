/**
 * What the console reads from the server, as queries: one function for each resource, whose key
 * begins with the resource's name so that a change can refresh all of it.
 */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** First part of every key of a resource. */
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
} as const satisfies Record<string, readonly [string]>

const pageSize = 100

/** Who is signed in. Throws ApiError 401 for nobody. */
export const sessionQuery = queryOptions({
  queryKey: resource.session,
  queryFn: ({ signal }) => api('GET /admin/api/v1/session', { signal }),
  staleTime: 60_000,
})

/** The models that the caller can use. */
export const ownModelsQuery = queryOptions({
  queryKey: [...resource.models, 'own'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/me/models', { signal })).data,
})

export type KeyOwner = 'self' | 'anyone'

/** API keys in pages; those of anyone only for administrators. */
export function keysQuery(owner: KeyOwner) {
  return infiniteQueryOptions({
    queryKey: [...resource.keys, owner],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(pageParam !== null && { cursor: pageParam }) }
      return owner === 'self'
        ? api('GET /admin/api/v1/me/keys', { query, signal })
        : api('GET /admin/api/v1/keys', { query, signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
}

/** A page of a list, as the server answers it. */
export interface Page<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

export type PageQuery = { readonly limit: number; readonly cursor?: string }
type ReadPage<Item> = (query: PageQuery) => Promise<Page<Item>>

/** Reads a list page by page, in the largest pages that the server answers. */
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

/** Whose usage is shown: the own, or that of all. */
export type UsageReach = 'self' | 'everyone'

export interface UsageSpan {
  /** Milliseconds that lie behind. */
  readonly spanMs: number
  readonly bucket: 'minute' | 'hour' | 'day'
}

/** Sums and their course over a span of time that ends now. */
export function usageQuery(reach: UsageReach, { spanMs, bucket }: UsageSpan) {
  return queryOptions({
    queryKey: [...resource.usage, reach, spanMs, bucket],
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const query = { from: new Date(to - spanMs).toISOString(), to: new Date(to).toISOString() }
      const series = { ...query, bucket }
      const [totals, points] =
        reach === 'self'
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

/** The newest requests of all users; for administrators. */
export function latestRequestsQuery(spanMs: number) {
  return queryOptions({
    queryKey: [...resource.requests, 'latest', spanMs],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - spanMs).toISOString()
      return (await api('GET /admin/api/v1/requests', { query: { limit: 200, from }, signal })).data
    },
    refetchInterval: 30_000,
  })
}

/** How many requests run now on each model; for administrators. */
export const inflightQuery = queryOptions({
  queryKey: resource.inflight,
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/inflight', { signal })).data,
  refetchInterval: 5000,
})
