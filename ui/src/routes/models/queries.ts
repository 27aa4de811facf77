/** The queries of the catalogue, beside the models themselves. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

const refetchInterval = 60_000

/** How the models that the caller can use have done in the last day. */
export const performanceQuery = queryOptions({
  queryKey: [...resource.usage, 'performance'],
  queryFn: ({ signal }) => api('GET /admin/api/v1/me/models/performance', { signal }),
  refetchInterval,
})

/** The same of one model, with its hours. */
export function modelPerformanceQuery(model: string) {
  return queryOptions({
    queryKey: [...resource.usage, 'performance', model],
    queryFn: ({ signal }) => api('GET /admin/api/v1/me/models/performance', { query: { model }, signal }),
    refetchInterval,
  })
}
