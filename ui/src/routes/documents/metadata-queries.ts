/** What documents say about themselves: the keys of their metadata, and the values of one of them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'

export type MetadataValue = string | number | boolean | null

/** What the API takes as `filter`, as JSON: documents that have all of these values; undefined for none. */
export function metadataFilterOf(chosen: Readonly<Record<string, MetadataValue>> | undefined): string | undefined {
  const filters = Object.entries(chosen ?? {}).map(([key, value]) => ({ type: 'eq', key, value }))
  return filters.length === 0 ? undefined : JSON.stringify({ type: 'and', filters })
}

interface Asked {
  /** Whose values are counted. */
  readonly key: string | undefined
  readonly category: string | undefined
  readonly chosen: Readonly<Record<string, MetadataValue>>
}

export function metadataQuery({ key, category, chosen }: Asked) {
  const filter = metadataFilterOf(chosen)
  return queryOptions({
    queryKey: [...resource.documents, 'metadata', key ?? '', category ?? '', filter ?? ''],
    queryFn: ({ signal }) =>
      api('GET /api/v1/documents/metadata', {
        query: {
          ...(key !== undefined && { keys: key }),
          ...(category !== undefined && { category }),
          ...(filter !== undefined && { filter }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}
