/** Searches vector stores: the search of documents within their categories, of what the stores have as files. */
import type { Documents } from '#documents/documents.ts'
import { askedModel } from '#documents/search/asked-model.ts'
import type { Weights } from '#documents/search/fuse.ts'
import { usualCandidates } from '#documents/search/rerank.ts'
import { search, type SearchQuery } from '#documents/search/search.ts'
import type { Caller } from '#identity/records.ts'
import type { MetadataFilter } from '#store/documents/metadata/metadata-filter.ts'
import type { NewStoreFile } from '#store/batches/vector-store-records.ts'
import type { AskedMode } from '#store/documents/search/asked-modes.ts'
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
  /** As in `ranking_options`; null when it is left out. */
  readonly ranker: string | null
  /** Null leaves it to the server by what it searches. */
  readonly weights: Weights | null
  readonly signal: AbortSignal
}

/** `default-2024-11-15`, and as it was written before. */
const openAiRanker = /^default[-_]\d{4}[-_]\d{2}[-_]\d{2}$/

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
  const { caller, storeIds, queries, maxResults, filter, scoreMin, weights, signal } = query
  for (const id of storeIds) await usableStore(stores, id, caller)
  const rerank = rerankOf(stores.documents, caller, query.ranker)
  const how = { mode: modeOf(weights), weights: weights ?? undefined, rerank }
  const best = new Map<string, { readonly documentId: string; readonly score: number; readonly text: string }>()
  for (const text of queries) {
    const asked = { text, topK: maxResults, window: 0, categories: storeIds, metadata: filter, ...how }
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

/** A `ranker`: OpenAI's own names mean the server's rerank model if it has one, any other is that of a rerank model. Answers 422 and 403 by throwing. */
function rerankOf({ models }: Documents, caller: Caller, ranker: string | null): SearchQuery['rerank'] {
  if (ranker === null || ranker === 'auto' || openAiRanker.test(ranker)) return undefined
  if (ranker === 'none') return null
  return { model: askedModel(models, ranker, caller, 'ranking_options.ranker'), candidates: usualCandidates }
}

function modeOf(weights: Weights | null): AskedMode {
  if (weights === null) return 'auto'
  if (weights.vector === 0) return 'keyword'
  return weights.keyword === 0 ? 'vector' : 'hybrid'
}
