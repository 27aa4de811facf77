/** Passages for a chat over documents: the search of the API, in the gateway's words. */
import type { Caller } from '#identity/records.ts'
import type { MetadataFilter } from '#store/documents/metadata/metadata-filter.ts'
import type { AskedMode } from '#store/documents/search/asked-modes.ts'
import type { Documents } from '../documents.ts'
import { search } from './search.ts'

export interface Retrieval {
  readonly caller: Caller
  readonly query: string
  readonly spec: {
    readonly mode: AskedMode
    readonly topK: number
    /** Null filters nothing. */
    readonly categories: readonly string[] | null
    readonly owners: readonly string[] | null
    readonly docIds: readonly string[] | null
    readonly metadata: MetadataFilter | null
  }
  readonly signal: AbortSignal
}

export interface RetrievedChunk {
  readonly docId: string
  readonly name: string
  readonly page: number | null
  readonly headingPath: readonly string[]
  readonly start: number
  readonly end: number
  readonly text: string
  readonly tokens: number
}

/** The best chunks that the caller may see, the best first. Rejects with the ApiError to answer. */
export async function retrieve(
  documents: Documents,
  { caller, query, spec, signal }: Retrieval,
): Promise<readonly RetrievedChunk[]> {
  const { mode, topK, categories, owners, docIds, metadata } = spec
  const { hits } = await search(
    documents,
    caller,
    {
      text: query,
      mode,
      topK,
      window: 0,
      categories: categories ?? undefined,
      owners: owners ?? undefined,
      documentIds: docIds?.map((id) => id.toLowerCase()),
      metadata: metadata ?? undefined,
    },
    signal,
  )
  return hits.map(({ chunk: { documentId, documentName: name, page, headingPath, start, end, text, tokens } }) => ({
    docId: documentId,
    name,
    page,
    headingPath,
    start,
    end,
    text,
    tokens,
  }))
}
