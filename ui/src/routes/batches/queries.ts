/** The queries of the page of batches, and what their states mean. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, type AnswerOf } from '../../api/client.ts'
import { pageOfOpenAi as pageOf } from '../../api/openai-list.ts'
import { resource } from '../../api/queries.ts'
import type { Batch, File as StoredFile } from '../../api/schema.d.ts'

export type { Batch, StoredFile }

const refreshMs = 2000
const pageSize = '100'
const ended: ReadonlySet<Batch['status']> = new Set(['failed', 'completed', 'expired', 'cancelled'])

/** True until the batch has ended. */
export function isOpen({ status }: Pick<Batch, 'status'>): boolean {
  return !ended.has(status)
}

/** The caller's batches in pages, the newest first; read again while one of the first page runs. */
export const batchesQuery = infiniteQueryOptions({
  queryKey: [...resource.batches, 'list'],
  queryFn: async ({ pageParam, signal }) =>
    pageOf(
      await api('GET /ai/v1/batches', {
        query: { limit: pageSize, ...(pageParam !== null && { after: pageParam }) },
        signal,
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: ({ state: { data } }) =>
    data?.pages.length === 1 && data.pages[0]?.data.some(isOpen) === true ? refreshMs : false,
})

/** The caller's files in pages, the newest first. */
export const filesQuery = infiniteQueryOptions({
  queryKey: [...resource.files, 'list'],
  queryFn: async ({ pageParam, signal }) =>
    pageOf(
      await api('GET /ai/v1/files', {
        query: { limit: pageSize, order: 'desc', ...(pageParam !== null && { after: pageParam }) },
        signal,
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
})

/** What a person uploads: the requests of a batch. */
export async function uploadBatchFile(content: Blob, name: string): Promise<AnswerOf<'POST /ai/v1/files'>> {
  const body = new FormData()
  body.append('purpose', 'batch')
  body.append('file', content, name)
  return api('POST /ai/v1/files', { body })
}

/** The address of a file's bytes. */
export function contentPath(fileId: string): string {
  return `/ai/v1/files/${encodeURIComponent(fileId)}/content`
}
