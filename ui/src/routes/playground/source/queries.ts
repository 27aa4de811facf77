/** What the panel of a source reads: a page of a document, or the text around a passage. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { resource } from '../../../api/queries.ts'

/** The text of a page. */
export function pageQuery(id: string, page: number) {
  return queryOptions({
    queryKey: [...resource.documents, id, 'page', page],
    queryFn: ({ signal }) =>
      api('GET /api/v1/document/{doc_id}/pages/{page}', { params: { doc_id: id, page: String(page) }, signal }),
    staleTime: 60_000,
  })
}

/** How many characters are shown on either side of a passage. */
const around = 3000

/** The text around a passage of a document without pages. */
export function aroundQuery({
  doc_id: id,
  start,
  end,
}: {
  readonly doc_id: string
  readonly start: number
  readonly end: number
}) {
  const query = { start: Math.max(0, start - around), end: end + around }
  return queryOptions({
    queryKey: [...resource.documents, id, 'around', query.start, query.end],
    queryFn: ({ signal }) => api('GET /api/v1/document/{doc_id}/text', { params: { doc_id: id }, query, signal }),
    staleTime: 60_000,
  })
}
