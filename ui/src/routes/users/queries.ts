/** The queries of the page of users. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allItems, resource } from '../../api/queries.ts'
import type { User } from '../../api/schema.d.ts'

const pageSize = 100
export const userChoicesMax = 50

/** Users in pages, of this kind, whose e-mail address contains this text. */
export function usersQuery(email: string, kind: User['kind'] | undefined) {
  return infiniteQueryOptions({
    queryKey: [...resource.users, 'list', email, kind],
    queryFn: ({ pageParam, signal }) =>
      api('GET /admin/api/v1/users', {
        query: {
          limit: pageSize,
          ...(email !== '' && { email }),
          ...(kind !== undefined && { kind }),
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

/** The first users whose e-mail address contains this text, and whether there are more. */
export function userChoicesQuery(email: string) {
  return queryOptions({
    queryKey: [...resource.users, 'choices', email],
    queryFn: async ({ signal }) => {
      const query = { limit: userChoicesMax, ...(email !== '' && { email }) }
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
