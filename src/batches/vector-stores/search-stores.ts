/** Searches vector stores: the search of documents within their categories, of what the stores have as files. */
import { search } from '#documents/search/search.ts'
import type { Caller } from '#identity/records.ts'
import type { MetadataFilter } from '#store/documents/metadata/metadata-filter.ts'
import type { NewStoreFile } from '#store/batches/vector-store-records.ts'
import type { Clock } from '#lib/clock.ts'
import { usableStore, type VectorStores } from './vector-stores.ts'

export interface StoresQuery {
  readonly caller: Caller
  readonly storeIds: readonly string[]
  readonly queries: readonly string[]
  readonly maxResults: number
  readonly filter: MetadataFilter | undefined
  /** From 0 to 1. */
  readonly scoreMin: number
  readonly signal: AbortSignal
}

export type Searchable = Pick<VectorStores, 'store' | 'documents'> & { readonly clock: Clock }

export interface FoundPassage {
  readonly fileId: string
  readonly filename: string
  readonly attributes: NewStoreFile['attributes']
  readonly score: number
  readonly text: string
}

/** The best passages, each once, the best first. Answers 404 for a store that is not the caller's, and 400 for one that has expired. */
export async function searchStores(stores: Searchable, query: StoresQuery): Promise<readonly FoundPassage[]> {
  const { caller, storeIds, queries, maxResults, filter, scoreMin, signal } = query
  for (const id of storeIds) await usableStore(stores, id, caller)
  const best = new Map<string, { readonly documentId: string; readonly score: number; readonly text: string }>()
  for (const text of queries) {
    const asked = { text, mode: 'auto', topK: maxResults, window: 0, categories: storeIds, metadata: filter } as const
    const { hits } = await search(stores.documents, caller, asked, signal)
    for (const { chunk, score } of hits) {
      const known = best.get(chunk.id)
      if (known === undefined || known.score < score)
        best.set(chunk.id, { documentId: chunk.documentId, score, text: chunk.text })
    }
  }
  const found = [...best.values()].filter(({ score }) => score >= scoreMin).sort((a, b) => b.score - a.score)
  const documentIds = [...new Set(found.map(({ documentId }) => documentId))]
  const files = await stores.store.filesOfDocuments(storeIds, documentIds)
  const fileOf = new Map(files.map((file) => [file.documentId, file]))
  await stores.store.touch(storeIds, stores.clock.now())
  return found
    .flatMap(({ documentId, score, text }) => {
      const file = fileOf.get(documentId)
      if (file === undefined) return []
      return { fileId: file.fileId, filename: file.name, attributes: file.attributes, score, text }
    })
    .slice(0, maxResults)
}
