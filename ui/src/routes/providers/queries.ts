/** The queries of the page of providers. */
import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

const foreverMs = Number.POSITIVE_INFINITY

/** The presets for vendors and local servers. */
export const presetsQuery = queryOptions({
  queryKey: [...resource.providers, 'presets'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/provider-presets', { signal })).data,
  staleTime: foreverMs,
})

/** The supported kinds of providers. */
export const kindsQuery = queryOptions({
  queryKey: [...resource.providers, 'kinds'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/provider-kinds', { signal })).data,
  staleTime: foreverMs,
})

/** The current health of each provider. */
export const providerHealthQuery = queryOptions({
  queryKey: [...resource.providers, 'health'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/provider-health', { signal })).data,
  refetchInterval: 10_000,
})

/** Tests a provider and lists the models that it offers. */
export function offeredModelsQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.providers, 'offered', id],
    queryFn: ({ signal }) => api('POST /admin/api/v1/providers/{id}/test', { params: { id }, signal }),
    // An old result says nothing about now.
    gcTime: 0,
    staleTime: foreverMs,
  })
}

/** Refreshes everything that depends on providers. */
export async function refreshProviders(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [[...resource.providers, 'all'], [...resource.providers, 'health'], resource.models].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )
}
