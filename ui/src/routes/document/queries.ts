/** What the page of one document reads of its text. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'

/** Chunks that are read together. */
export const chunksTogether = 50
const passagesMax = 20

/** The chunks of a document from `page` × `chunksTogether` on. They never change within a completed version. */
export function chunksQuery({ doc_id: id, version, state }: Document, page: number) {
  return queryOptions({
    queryKey: [...resource.documents, 'chunks', id, version, state === 'completed', page],
    queryFn: ({ signal }) =>
      api('GET /api/v1/document/{doc_id}/chunks', {
        params: { doc_id: id },
        query: { from: page * chunksTogether, limit: chunksTogether },
        signal,
      }),
    staleTime: 5 * 60_000,
  })
}

/** The passages of a document that fit a question best. */
export function passagesQuery({ doc_id: id, version, state }: Document, question: string) {
  return queryOptions({
    queryKey: [...resource.documents, 'passages', id, version, state === 'completed', question],
    queryFn: ({ signal }) =>
      api('POST /api/v1/search', { body: { query: question, doc_id: id, top_k: passagesMax }, signal }),
    staleTime: 5 * 60_000,
  })
}
