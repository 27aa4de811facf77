/** The queries of the page of users. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allItems, resource } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'

const pageSize = 100
export const userChoicesMax = 50

export interface UserFilter {
  /** Part of the e-mail address or the name. */
  readonly q?: string
  readonly kind?: User['kind']
  readonly group_id?: string
  readonly sort?: 'created' | 'email' | 'name' | 'last_seen'
  readonly order?: 'asc' | 'desc'
}

/** Users in pages. */
export function usersQuery(filter: UserFilter) {
  return infiniteQueryOptions({
    queryKey: [...resource.users, 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      api('GET /admin/api/v1/users', {
        query: {
          limit: pageSize,
          ...filter,
          ...(pageParam !== null && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // The previous list stays visible while the next one loads.
    placeholderData: keepPreviousData,
  })
}

/** One user. */
export function userQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.users, 'one', id],
    queryFn: ({ signal }) => api('GET /admin/api/v1/users/{id}', { params: { id }, signal }),
  })
}

/** The sessions of a user in browsers. */
export function sessionsQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.users, 'sessions', id],
    queryFn: async ({ signal }) =>
      (await api('GET /admin/api/v1/users/{id}/sessions', { params: { id }, signal })).data,
  })
}

/** The first users whose e-mail address or name contains this text, and whether there are more. */
export function userChoicesQuery(text: string) {
  return queryOptions({
    queryKey: [...resource.users, 'choices', text],
    queryFn: async ({ signal }) => {
      const query = { limit: userChoicesMax, ...(text !== '' && { q: text }) }
      const { data, next_cursor: next } = await api('GET /admin/api/v1/users', { query, signal })
      return { users: data, hasMore: next !== null }
    },
    placeholderData: keepPreviousData,
  })
}

/** All API keys of a user. */
export function keysOfUserQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.keys, 'of', id],
    queryFn: ({ signal }) =>
      allItems((query) => api('GET /admin/api/v1/users/{id}/keys', { params: { id }, query, signal })),
  })
}

/** Refreshes everything that depends on users, including the session. */
export async function refreshUsers(queryClient: QueryClient): Promise<void> {
  const keys = [resource.users, resource.groups, resource.keys, resource.session]
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}
