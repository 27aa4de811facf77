/** What is left to do to get started: the server knows it, whichever browser it was done in. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import { toast } from '../../components/toast.tsx'

/** What the account, and the server for an administrator, has and has not yet. */
export const guideQuery = queryOptions({
  queryKey: [...resource.usage, 'guide'],
  queryFn: ({ signal }) => api('GET /admin/api/v1/me/guide', { signal }),
})

/** Model servers on the server's machine, and vendors whose key is in its environment. */
export const foundProvidersQuery = queryOptions({
  queryKey: [...resource.providers, 'found'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/providers/found', { signal })).data,
  staleTime: 60_000,
})

/** Puts the guide away, or takes it out again; the server remembers it. */
export function useGuideHiding() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (hidden: boolean) => api('PUT /admin/api/v1/me/guide', { body: { hidden } }),
    onSuccess(guide) {
      queryClient.setQueryData(guideQuery.queryKey, guide)
      if (guide.hidden) toast('“Getting started” stays in the navigation')
    },
  })
}
