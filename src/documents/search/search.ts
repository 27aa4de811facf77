/**
 * Finds chunks of the documents that a caller may see: by meaning, by words, or by both. The one search
 * of POST /api/v1/search, of chat over documents and of the command line.
 */
import { ApiError } from '#errors/api-error.ts'
import type { Caller } from '#identity/records.ts'
import type { StoredChunk } from '#store/documents/document-chunks.ts'
import type { ChunkInContext, FindQuery, FindResult, RankedChunk, Viewer } from '#store/documents/document-store.ts'
import { setOf } from '#store/documents/rows/chunk-row.ts'
import type { MetadataFilter } from '#store/documents/metadata/metadata-filter.ts'
import type { Facet } from '#store/documents/metadata/metadata.ts'
import type { AskedMode } from '#store/documents/search/asked-modes.ts'
import type { SearchMode } from '#store/documents/search/search-modes.ts'
import type { Documents } from '../documents.ts'
import { EmbedFailure } from '../embedders/embedder.ts'
import { resolveOwners, viewerOf } from '../owners.ts'
import { fused, type Weights } from './fuse.ts'
import type { ScorePart, SearchHit } from './search-hit.ts'
import { planRerank, reranked, type RerankRequest } from './rerank.ts'

/** Neighbours on either side of each hit, or the rest of its section. */
export type Window = number | 'section'

/** Neighbours on either side that are looked at for the rest of a section. */
const sectionChunks = 10

export interface SearchQuery {
  readonly text: string
  readonly mode: AskedMode
  readonly topK: number
  readonly window: Window
  /** Most hits of one document; all that fit when left out. */
  readonly maxPerDocument?: number | undefined
  readonly categories?: readonly string[] | undefined
  /** As they are written in requests. */
  readonly owners?: readonly string[] | undefined
  readonly documentIds?: readonly string[] | undefined
  readonly metadata?: MetadataFilter | undefined
  /** Keys of metadata whose values are counted. */
  readonly facets?: readonly string[] | undefined
  /** How much words and vectors count in a search by both; the same when left out. */
  readonly weights?: Weights | undefined
  /** Null = not at all; left out = as the settings say. */
  readonly rerank?: RerankRequest | null | undefined
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** How it was searched. */
  readonly mode: SearchMode
  /** Null when none were asked for. */
  readonly facets: readonly Facet[] | null
  /** One sentence each: what could not be searched and why. */
  readonly warnings: readonly string[]
}

/** A fused list needs more candidates than it returns: a chunk that is second in both may be the best of all. */
const depthMin = 50
/** Most values of a facet. */
const facetValuesMax = 100
/** Hits of few documents may fill a list; looking for those of others ends here. */
const depthMax = 3200

/** Answers 422 for an owner that does not exist, and with the embedder's error when only meaning was asked for. */
export async function search(
  documents: Documents,
  caller: Caller,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult> {
  const viewer = viewerOf(caller)
  const plan = planRerank(documents, caller, query.rerank)
  const filter = await filterOf(documents, caller, query)
  const warnings: string[] = []
  const spaces = query.mode === 'keyword' ? [] : await documents.store.spaces(viewer, filter)
  const mode = query.mode === 'auto' ? bestMode(spaces) : query.mode
  const vectors =
    mode === 'keyword'
      ? []
      : await queryVectors(documents, { caller, text: query.text, mode, spaces, signal }, warnings)
  const wanted = Math.max(query.topK, plan?.candidates ?? 0)
  const finding = { viewer, filter, keywords: mode === 'vector' ? null : query.text, vectors }
  const limit = mode === 'hybrid' ? Math.max(depthMin, wanted * 2) : wanted
  const { found, best } = await findBest(documents, { ...finding, limit }, { wanted, ...query })
  noteSilent(found, mode, warnings)
  const facets = await facetsOf(documents, { viewer, filter }, query.facets, warnings)
  if (plan === null) return { hits: await inContext(documents, viewer, best, query.window), mode, facets, warnings }
  // Neighbours are read of those that are answered only.
  const candidates = await inContext(documents, viewer, best, 0)
  const ordered = await reranked(documents, { caller, text: query.text, plan, signal }, candidates, warnings)
  const hits = ordered.slice(0, query.topK)
  if (query.window === 0) return { hits, mode, facets, warnings }
  const rows = hits.map(({ chunk, ...scores }) => ({ row: chunk.row, ...scores }))
  return { hits: await inContext(documents, viewer, rows, query.window), mode, facets, warnings }
}

interface Wanted extends Pick<SearchQuery, 'maxPerDocument' | 'weights'> {
  readonly wanted: number
}

/** The best rows, no more of one document than are wanted: while its others fill the list, a longer one is asked for. */
async function findBest(
  documents: Documents,
  finding: FindQuery,
  { wanted, maxPerDocument = Infinity, weights }: Wanted,
): Promise<{ readonly found: FindResult; readonly best: readonly RankedRow[] }> {
  const found = await documents.store.find(finding)
  const counts = new Map<number, number>()
  const best = ranked(found, weights).filter(({ row }) => {
    const count = (counts.get(setOf(row)) ?? 0) + 1
    counts.set(setOf(row), count)
    return count <= maxPerDocument
  })
  const isLonger = Math.max(found.vector.length, found.keyword.length) >= finding.limit
  if (best.length >= wanted || !isLonger || finding.limit >= depthMax) return { found, best: best.slice(0, wanted) }
  return findBest(
    documents,
    { ...finding, limit: Math.min(depthMax, finding.limit * 4) },
    { wanted, maxPerDocument, weights },
  )
}

/** The vectors of the hashing embedder know words, not meaning: beside a search for words they make it worse. */
function bestMode(spaces: readonly Space[]): SearchMode {
  return spaces.every(({ embedder }) => embedder.name === 'hashing') ? 'keyword' : 'hybrid'
}

/** Null when none were asked for. Of very many documents the newest are counted, with a warning. */
export async function facetsOf(
  { store }: Documents,
  query: Pick<FindQuery, 'viewer' | 'filter'>,
  keys: SearchQuery['facets'],
  warnings: string[],
): Promise<readonly Facet[] | null> {
  if (keys === undefined) return null
  const { facets, counted, of } = await store.facets({ ...query, keys, limit: facetValuesMax })
  if (counted < of) warnings.push(`Facets count the newest ${counted} of ${of} documents. Filters make them exact.`)
  return facets
}

/** The rows as hits, in their order; what has been deleted since is left out. */
async function inContext(
  { store }: Documents,
  viewer: Viewer,
  best: readonly RankedRow[],
  window: Window,
): Promise<readonly SearchHit[]> {
  const rows = best.map(({ row }) => row)
  const chunks = await store.chunksInContext(rows, viewer, window === 'section' ? sectionChunks : window)
  const byRow = new Map(
    chunks.map((chunk) => [chunk.row, window === 'section' ? withinSection(chunk) : chunk] as const),
  )
  return best.flatMap(({ row, ...scores }) => {
    const chunk = byRow.get(row)
    return chunk === undefined ? [] : [{ chunk, ...scores }]
  })
}

/** The neighbours without those that stand under another heading. */
function withinSection(chunk: ChunkInContext): ChunkInContext {
  const path = JSON.stringify(chunk.headingPath)
  const isOutside = ({ headingPath }: StoredChunk): boolean => JSON.stringify(headingPath) !== path
  const end = chunk.after.findIndex(isOutside)
  return {
    ...chunk,
    before: chunk.before.slice(chunk.before.findLastIndex(isOutside) + 1),
    after: end < 0 ? chunk.after : chunk.after.slice(0, end),
  }
}

async function filterOf(documents: Documents, caller: Caller, query: SearchQuery): Promise<FindQuery['filter']> {
  const { categories, owners, documentIds: ids, metadata } = query
  if (owners === undefined) return { categories, ids, metadata }
  const resolved = await resolveOwners(documents, owners, caller)
  if (resolved.kind === 'owners') return { categories, ids, metadata, owners: resolved.principals }
  throw new ApiError('validation_failed', {
    param: 'owners',
    message: `"owners": no user or group is called ${JSON.stringify(resolved.owner)}.`,
  })
}

type Space = Awaited<ReturnType<Documents['store']['spaces']>>[number]

interface QueryContext {
  readonly caller: Caller
  readonly text: string
  readonly mode: SearchMode
  /** Those that hold documents of this search. */
  readonly spaces: readonly Space[]
  readonly signal: AbortSignal
}

/** The query in each space; spaces whose embedder fails are left out with a warning. */
async function queryVectors(
  documents: Documents,
  { caller, text, mode, spaces, signal }: QueryContext,
  warnings: string[],
): Promise<FindQuery['vectors']> {
  const seconds = documents.settings.get('documents.model_seconds')
  const patience = AbortSignal.timeout(seconds * 1000)
  const asked = { caller, text, signal: AbortSignal.any([signal, patience]) }
  const answers = await Promise.allSettled(
    spaces.map(async ({ key, embedder, dimensions }) => ({
      spaceKey: key,
      vector: await documents.embedQuery({ component: embedder, dimensions, ...asked }),
    })),
  )
  signal.throwIfAborted()
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
  const vectors = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  for (const reason of failures) {
    const failure = patience.aborted && reason === patience.reason ? tooSlow(seconds) : reason
    if (!(failure instanceof EmbedFailure)) throw failure
    if (vectors.length === 0 && mode === 'vector')
      throw new ApiError('embedder_unavailable', { message: failure.message, cause: failure })
    warnings.push(`Some documents were searched by words only: ${failure.message}`)
  }
  return vectors
}

function tooSlow(seconds: number): EmbedFailure {
  const message = `The embedding model took longer than ${seconds} s.`
  return new EmbedFailure('embedder_failed', message, { retryable: true })
}

/** A place for vectors that did not answer: what it holds was searched by words only, if at all. */
function noteSilent({ silent, vector }: FindResult, mode: SearchMode, warnings: string[]): void {
  const [first] = silent
  if (first === undefined) return
  if (mode === 'vector' && vector.length === 0) throw new ApiError('vector_index_unavailable')
  const how = mode === 'hybrid' ? 'Some documents were searched by words only' : 'Some documents were not searched'
  warnings.push(`${how}: the index of their vectors does not answer.`)
}

type RankedRow = Omit<SearchHit, 'chunk'> & { readonly row: number }

/** The rows of what was found, the best first. */
function ranked(found: FindResult, weights: Weights | undefined): readonly RankedRow[] {
  const vector = scoreParts([...Map.groupBy(found.vector, ({ spaceKey }) => spaceKey).values()])
  const keyword = scoreParts([found.keyword])
  return fused(found, weights).map(({ row, score }) => {
    return { row, score, vector: vector.get(row) ?? null, keyword: keyword.get(row) ?? null, rerank: null }
  })
}

function scoreParts(lists: readonly (readonly RankedChunk[])[]): ReadonlyMap<number, ScorePart> {
  return new Map(
    lists.flatMap((list) => list.map(({ row, score }, index) => [row, { score, rank: index + 1 }] as const)),
  )
}
