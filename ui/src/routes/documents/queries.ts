/**
 * What the pages of the documents read, and how what is known of a document reaches every list that
 * shows it.
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

/** The states in which a document waits or is under way. */
export const unfinishedStates = ['queued', 'reading', 'chunking', 'embedding', 'storing'] as const

export type DocumentState = Document['state']

/** True while a document may still change by itself. */
export function isUnfinished({ state }: Pick<Document, 'state'>): boolean {
  return (unfinishedStates as readonly DocumentState[]).includes(state)
}

export interface DocumentFilter {
  readonly name: string | undefined
  readonly category: string | undefined
  /** States, separated by commas. */
  readonly state: string | undefined
}

/** Documents that the caller can see, the newest first, in pages. */
export function documentsQuery({ name, category, state }: DocumentFilter) {
  return infiniteQueryOptions({
    queryKey: [...lists, name ?? '', category ?? '', state ?? ''],
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/v1/documents', {
        query: {
          limit: pageSize,
          ...(name !== undefined && { name }),
          ...(category !== undefined && { category }),
          ...(state !== undefined && { state }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // Another filter: the list stays until the new one is there.
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

/** What an import can name on this server. */
export const documentOptionsQuery = queryOptions({
  queryKey: [...resource.documents, 'options'],
  queryFn: ({ signal }) => api('GET /api/v1/documents/options', { signal }),
  staleTime: 5 * 60_000,
})

type DocumentPage = AnswerOf<'GET /api/v1/documents'>

/** Puts what the server has just said of documents into every list that holds them. */
export function putDocuments(queryClient: QueryClient, documents: readonly Document[]): void {
  const fresh = new Map(documents.map((document) => [document.doc_id, document]))
  changePages(queryClient, (page) => page.map((document) => fresh.get(document.doc_id) ?? document))
  for (const document of documents) queryClient.setQueryData(documentQuery(document.doc_id).queryKey, document)
}

/** Takes documents that are gone out of every list. */
export function dropDocuments(queryClient: QueryClient, ids: ReadonlySet<string>): void {
  if (ids.size === 0) return
  changePages(queryClient, (page) => page.filter(({ doc_id: id }) => !ids.has(id)))
}

function changePages(queryClient: QueryClient, change: (page: readonly Document[]) => readonly Document[]): void {
  queryClient.setQueriesData<InfiniteData<DocumentPage, string | null>>(
    { queryKey: lists },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, data: change(page.data) })) },
  )
}
