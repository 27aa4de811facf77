/** The queries of the playground. */
import { queryOptions } from '@tanstack/react-query'
import { api, type BodyOf } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

/** The reasoning efforts of each model, where they are known. */
export const effortsQuery = queryOptions({
  queryKey: [...resource.models, 'efforts'],
  queryFn: async ({ signal }) => {
    const { data } = await api('GET /ai/v1/models', { query: { include_reasoning_capabilities: 'true' }, signal })
    return new Map(
      data.flatMap((model) => {
        const efforts = 'owned_by' in model ? model.supported_reasoning_efforts : undefined
        return efforts === undefined ? [] : [[model.id, efforts] as const]
      }),
    )
  },
  staleTime: 60_000,
})

export type SearchBody = BodyOf<'POST /api/v1/search'>

/** The hits of a document search. */
export function searchQuery(body: SearchBody) {
  return queryOptions({
    queryKey: ['documents', 'search', body],
    queryFn: ({ signal }) => api('POST /api/v1/search', { body, signal }),
    staleTime: 30_000,
  })
}
