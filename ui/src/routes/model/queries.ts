/** What the editor of a model reads. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

/** One model. Read once: what is being edited does not change under the fingers. */
export function modelQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.models, 'one', id],
    queryFn: ({ signal }) => api('GET /admin/api/v1/models/{id}', { params: { id }, signal }),
    refetchOnWindowFocus: false,
  })
}

/** How its upstreams are doing, as the server sees them now. */
export function healthQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.models, 'health', id],
    queryFn: async ({ signal }) => (await api('GET /admin/api/v1/models/{id}/health', { params: { id }, signal })).data,
    refetchInterval: 5000,
  })
}

/** What the provider offers now, or the sentence that says why it tells nothing. */
export function offeredQuery(providerId: string) {
  return queryOptions({
    queryKey: [...resource.providers, 'offered', providerId],
    queryFn: ({ signal }) => api('POST /admin/api/v1/providers/{id}/test', { params: { id: providerId }, signal }),
    enabled: providerId !== '',
    staleTime: 60_000,
    retry: false,
  })
}
