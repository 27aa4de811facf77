/**
 * The queries of the pages of documents, and the functions that update a document in every cached
 * list.
 */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query'
import { api, type AnswerOf } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'

const pageSize = 100
const lists = [...resource.documents, 'list']

/** The states before the end of processing. */
export const unfinishedStates = ['queued', 'reading', 'chunking', 'embedding', 'storing'] as const

export type DocumentState = Document['state']

/** True until the processing has ended. */
export function isUnfinished({ state }: Pick<Document, 'state'>): boolean {
  return (unfinishedStates as readonly DocumentState[]).includes(state)
}

export interface DocumentFilter {
  readonly name: string | undefined
  readonly category: string | undefined
  /** States, separated by commas. */
  readonly state: string | undefined
  /** A filter over metadata, as JSON. */
  readonly filter?: string | undefined
}

/** The documents that the caller can see, newest first, in pages. */
export function documentsQuery({ name, category, state, filter }: DocumentFilter) {
  return infiniteQueryOptions({
    queryKey: [...lists, name ?? '', category ?? '', state ?? '', filter ?? ''],
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/v1/documents', {
        query: {
          limit: pageSize,
          ...(name !== undefined && { name }),
          ...(category !== undefined && { category }),
          ...(state !== undefined && { state }),
          ...(filter !== undefined && { filter }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // The previous list stays visible while the next one loads.
    placeholderData: keepPreviousData,
  })
}

/** One document. */
export function documentQuery(id: string) {
  return queryOptions({
    queryKey: [...resource.documents, 'one', id],
    queryFn: ({ signal }) => api('GET /api/v1/document/{doc_id}', { params: { doc_id: id }, signal }),
  })
}

/** The options of an import on this server. */
export const documentOptionsQuery = queryOptions({
  queryKey: [...resource.documents, 'options'],
  queryFn: ({ signal }) => api('GET /api/v1/documents/options', { signal }),
  staleTime: 5 * 60_000,
})

type DocumentPage = AnswerOf<'GET /api/v1/documents'>

/** Updates documents in every cached list. */
export function updateDocuments(queryClient: QueryClient, documents: readonly Document[]): void {
  const fresh = new Map(documents.map((document) => [document.doc_id, document]))
  changePages(queryClient, (page) => page.map((document) => fresh.get(document.doc_id) ?? document))
  for (const document of documents) queryClient.setQueryData(documentQuery(document.doc_id).queryKey, document)
}

/** Removes documents from every cached list. */
export function removeDocuments(queryClient: QueryClient, ids: ReadonlySet<string>): void {
  if (ids.size === 0) return
  changePages(queryClient, (page) => page.filter(({ doc_id: id }) => !ids.has(id)))
}

function changePages(queryClient: QueryClient, change: (page: readonly Document[]) => readonly Document[]): void {
  queryClient.setQueriesData<InfiniteData<DocumentPage, string | null>>(
    { queryKey: lists },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, data: change(page.data) })) },
  )
}
