/** The query of the page of exports. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { UsageExport } from '../../api/schema.d.ts'

const makingMs = 3000

/** Exports in pages, the newest first; read again while one is being made. */
export const exportsQuery = infiniteQueryOptions({
  queryKey: [...resource.exports, 'list'],
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: 100, ...(pageParam !== null && { cursor: pageParam }) }
    return api('GET /admin/api/v1/exports', { query, signal })
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: ({ state }) => {
    const shown: readonly UsageExport[] = state.data?.pages.flatMap(({ data }) => data) ?? []
    return shown.some((each) => each.state === 'pending') ? makingMs : false
  },
})
