/** The queries of the page of a document. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'

/** The page size of chunks. */
export const chunksPerPage = 50
const passagesMax = 20

/** A page of chunks. Chunks of a completed version never change. */
export function chunksQuery({ doc_id: id, version, state }: Document, page: number) {
  return queryOptions({
    queryKey: [...resource.documents, 'chunks', id, version, state === 'completed', page],
    queryFn: ({ signal }) =>
      api('GET /api/v1/document/{doc_id}/chunks', {
        params: { doc_id: id },
        query: { from: page * chunksPerPage, limit: chunksPerPage },
        signal,
      }),
    staleTime: 5 * 60_000,
  })
}

/** The best passages of a document for a query. */
export function passagesQuery({ doc_id: id, version, state }: Document, question: string) {
  return queryOptions({
    queryKey: [...resource.documents, 'passages', id, version, state === 'completed', question],
    queryFn: ({ signal }) =>
      api('POST /api/v1/search', { body: { query: question, doc_id: id, top_k: passagesMax }, signal }),
    staleTime: 5 * 60_000,
  })
}
