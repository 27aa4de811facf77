/** The queries of the page of groups. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Group } from '../../api/schema.d.ts'

/** The group that always exists and has every user. */
export const everyoneId = '00000000-0000-0000-0000-000000000000'

/** False for "everyone", whose name and members cannot be changed. */
export function isOrdinary({ id }: Pick<Group, 'id'>): boolean {
  return id !== everyoneId
}

/** One group. */
export function groupQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.groups, 'one', id],
    queryFn: ({ signal }) => api('GET /admin/api/v1/groups/{id}', { params: { id }, signal }),
  })
}

/** The members of a group, in pages. */
export function membersQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...resource.groups, 'members', id],
    queryFn: ({ pageParam, signal }) =>
      api('GET /admin/api/v1/groups/{id}/members', {
        params: { id },
        query: { limit: 100, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
}
