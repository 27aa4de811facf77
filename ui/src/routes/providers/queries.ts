/** What the page of the providers reads. */
import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

const foreverMs = Number.POSITIVE_INFINITY

/** Vendors and local servers that this version knows. */
export const presetsQuery = queryOptions({
  queryKey: [...resource.providers, 'presets'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/provider-presets', { signal })).data,
  staleTime: foreverMs,
})

/** Ways of speaking to a provider that this version knows. */
export const kindsQuery = queryOptions({
  queryKey: [...resource.providers, 'kinds'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/provider-kinds', { signal })).data,
  staleTime: foreverMs,
})

/** How the models of each provider are doing now. */
export const providerHealthQuery = queryOptions({
  queryKey: [...resource.providers, 'health'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/provider-health', { signal })).data,
  refetchInterval: 10_000,
})

/** Asks a saved provider for its models now. */
export function offeredModelsQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.providers, 'offered', id],
    queryFn: ({ signal }) => api('POST /admin/api/v1/providers/{id}/test', { params: { id }, signal }),
    // What was offered the last time says nothing of now.
    gcTime: 0,
    staleTime: foreverMs,
  })
}

/** Everything that shows providers or what is made of them. */
export async function refreshProviders(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [[...resource.providers, 'all'], [...resource.providers, 'health'], resource.models].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )
}
