/** The queries of the page of webhooks. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { WebhookDelivery } from '../../api/schema.d.ts'

const refreshMs = 5000

export type DeliveryState = WebhookDelivery['state']

/** All endpoints. There are 100 at most. */
export const webhooksQuery = queryOptions({
  queryKey: [...resource.webhooks, 'list'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/webhooks', { signal })).data,
})

/** The deliveries of an endpoint in pages, the newest first; without a state, all of them. */
export function deliveriesQuery(id: string, state: DeliveryState | undefined) {
  return infiniteQueryOptions({
    queryKey: [...resource.webhooks, id, 'deliveries', state ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      api('GET /admin/api/v1/webhooks/{id}/deliveries', {
        params: { id },
        query: {
          limit: 100,
          ...(state !== undefined && { state }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // People open the log to see what has just come.
    staleTime: 0,
    // A refresh reads all pages that are shown; people who have read on are not looking for the newest.
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) > 1 ? false : refreshMs),
  })
}
