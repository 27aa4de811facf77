/** The queries of the editor of a model. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

/** One model. It is not refreshed while it is edited. */
export function modelQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.models, 'one', id],
    queryFn: ({ signal }) => api('GET /admin/api/v1/models/{id}', { params: { id }, signal }),
    refetchOnWindowFocus: false,
  })
}

/** The current health of the model's upstreams. */
export function healthQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.models, 'health', id],
    queryFn: async ({ signal }) => (await api('GET /admin/api/v1/models/{id}/health', { params: { id }, signal })).data,
    refetchInterval: 5000,
  })
}

/** The price of each active model, as it is now. */
export const pricesQuery = queryOptions({
  queryKey: [...resource.prices, 'all'],
  queryFn: ({ signal }) => api('GET /admin/api/v1/prices', { signal }),
  staleTime: 60_000,
})

/** The price of a model now, and every one that it ever had. */
export function pricesOfModelQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.prices, id],
    queryFn: ({ signal }) => api('GET /admin/api/v1/models/{id}/prices', { params: { id }, signal }),
  })
}

/** The models that the provider offers, or the error of the test. */
export function offeredQuery(providerId: string) {
  return queryOptions({
    queryKey: [...resource.providers, 'offered', providerId],
    queryFn: ({ signal }) => api('POST /admin/api/v1/providers/{id}/test', { params: { id: providerId }, signal }),
    enabled: providerId !== '',
    staleTime: 60_000,
    retry: false,
  })
}
