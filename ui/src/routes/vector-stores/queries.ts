/** The queries of the pages of vector stores. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { pageOfOpenAi } from '../../api/openai-list.ts'
import { resource } from '../../api/queries.ts'
import type { VectorStore, VectorStoreFile } from '../../api/schema.d.ts'

const refreshMs = 2000
const pageSize = '100'

/** The caller's vector stores in pages, the newest first; read again while one of the first page takes files in. */
export const vectorStoresQuery = infiniteQueryOptions({
  queryKey: [...resource.vectorStores, 'list'],
  queryFn: async ({ pageParam, signal }) => {
    const query = { limit: pageSize, ...(pageParam !== null && { after: pageParam }) }
    return pageOfOpenAi(await api('GET /ai/v1/vector_stores', { query, signal }))
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: ({ state: { data } }) => (data?.pages[0]?.data.some(isBusy) === true ? refreshMs : false),
})

/** True while files are being read. */
export function isBusy({ status }: Pick<VectorStore | VectorStoreFile, 'status'>): boolean {
  return status === 'in_progress'
}

export function vectorStoreQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.vectorStores, 'one', id],
    queryFn: ({ signal }) => api('GET /ai/v1/vector_stores/{id}', { params: { id }, signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isBusy(data) ? refreshMs : false),
  })
}

/** The files in a store in pages, the newest first. */
export function storeFilesQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...resource.vectorStores, 'files', id],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: pageSize, ...(pageParam !== null && { after: pageParam }) }
      return pageOfOpenAi(await api('GET /ai/v1/vector_stores/{id}/files', { params: { id }, query, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.data.some(isBusy) === true ? refreshMs : false),
  })
}

/** A file of the account, whose name its store does not have. */
export function fileQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.files, 'one', id],
    queryFn: ({ signal }) => api('GET /ai/v1/files/{id}', { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Passages of a store for a question. */
export function storeSearchQuery(id: string, question: string) {
  return queryOptions({
    queryKey: [...resource.vectorStores, 'search', id, question],
    queryFn: ({ signal }) =>
      api('POST /ai/v1/vector_stores/{id}/search', { params: { id }, body: { query: question }, signal }),
    staleTime: 60_000,
    retry: false,
  })
}

/** Sends a file, and adds it to a store. */
export async function addFile(storeId: string, file: File): Promise<void> {
  const body = new FormData()
  body.append('purpose', 'assistants')
  body.append('file', file, file.name)
  const { id } = await api('POST /ai/v1/files', { body })
  await api('POST /ai/v1/vector_stores/{id}/files', { params: { id: storeId }, body: { file_id: id } })
}
