/** What the page of the users reads, and what a change of a user makes stale. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

const pageSize = 100

/** Users in pages, of whose address this is a part. */
export function usersQuery(email: string) {
  return infiniteQueryOptions({
    queryKey: [...resource.users, 'list', email],
    queryFn: ({ pageParam, signal }) =>
      api('GET /admin/api/v1/users', {
        query: { limit: pageSize, ...(email !== '' && { email }), ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // The list stays while the next one is found.
    placeholderData: keepPreviousData,
  })
}

/** The first users of whose address this is a part. */
export function someUsersQuery(email: string) {
  return queryOptions({
    queryKey: [...resource.users, 'some', email],
    queryFn: async ({ signal }) =>
      (await api('GET /admin/api/v1/users', { query: { limit: 50, ...(email !== '' && { email }) }, signal })).data,
    placeholderData: keepPreviousData,
  })
}

/** The API keys that go with a user: at most 200 of them. */
export function keysOfUserQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.keys, 'of', id],
    queryFn: async ({ signal }) =>
      (await api('GET /admin/api/v1/users/{id}/keys', { params: { id }, query: { limit: 200 }, signal })).data,
  })
}

/** Everything that shows users, after one has changed: groups have members, and it may have been oneself. */
export async function refreshUsers(queryClient: QueryClient): Promise<void> {
  const keys = [resource.users, resource.groups, resource.keys, resource.session]
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}
