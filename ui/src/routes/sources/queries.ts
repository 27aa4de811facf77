/** The queries of the page of sources. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

const refreshMs = 5000
const runningMs = 1000

/** All sources with their last runs. There are 100 at most. */
export const sourcesQuery = queryOptions({
  queryKey: [...resource.sources, 'list'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/sources', { signal })).data,
  // Runs begin and end by themselves.
  refetchInterval: (query) =>
    query.state.data?.some(({ running_since: since }) => since !== null) ? runningMs : refreshMs,
})

/** What a run would do now. Asked for once: it may take minutes. */
export function dryRunQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.sources, id, 'dry-run'],
    queryFn: ({ signal }) => api('POST /admin/api/v1/sources/{id}/dry-run', { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
}
