/** Passages for a chat over documents: the search of the API, in the gateway's words. */
import type { Caller } from '#identity/records.ts'
import type { AskedMode } from '#store/documents/search/asked-modes.ts'
import type { Documents } from '../documents.ts'
import { textOfChunks } from '../records/text-of-chunks.ts'
import { questionOf, type RewriteRequest, type Turn } from './rewrite.ts'
import type { SearchHit } from './search-hit.ts'
import { search, type Window } from './search.ts'

export interface Retrieval {
  readonly caller: Caller
  /** Messages of the chat; the last one is the user's, and what is searched for. */
  readonly turns: readonly Turn[]
  /** Canonical name of the model of the chat. */
  readonly model: string
  readonly spec: {
    readonly mode: AskedMode
    readonly topK: number
    readonly window: Window
    readonly maxPerDocument: number | null
    readonly rewrite: RewriteRequest
    /** Null filters nothing. */
    readonly categories: readonly string[] | null
    readonly owners: readonly string[] | null
    readonly docIds: readonly string[] | null
  }
  readonly signal: AbortSignal
}

export interface Retrieved {
  /** The best first. */
  readonly chunks: readonly RetrievedChunk[]
  /** What was searched for. */
  readonly query: string
  /** One sentence each: what could not be done and why. */
  readonly warnings: readonly string[]
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

/** The best passages that the caller may see. Rejects with the ApiError to answer. */
export async function retrieve(
  documents: Documents,
  { caller, turns, model, spec, signal }: Retrieval,
): Promise<Retrieved> {
  const { mode, topK, window, maxPerDocument, rewrite: asked, categories, owners, docIds } = spec
  const unsaid: string[] = []
  const query = await questionOf(documents, { caller, turns, chatModel: model, asked, signal }, unsaid)
  const { hits, warnings } = await search(
    documents,
    caller,
    {
      text: query,
      mode,
      topK,
      window,
      maxPerDocument: maxPerDocument ?? undefined,
      categories: categories ?? undefined,
      owners: owners ?? undefined,
      documentIds: docIds?.map((id) => id.toLowerCase()),
    },
    signal,
  )
  return { chunks: passagesOf(hits), query, warnings: [...unsaid, ...warnings] }
}

/** Each hit with its neighbours. What another passage has whole is not told twice. */
function passagesOf(hits: readonly SearchHit[]): readonly RetrievedChunk[] {
  const passages: RetrievedChunk[] = []
  for (const { chunk } of hits) {
    const isTold = passages.some(
      ({ docId, start, end }) => docId === chunk.documentId && start <= chunk.start && chunk.end <= end,
    )
    if (!isTold) passages.push(passageOf(chunk))
  }
  return passages
}

function passageOf(chunk: SearchHit['chunk']): RetrievedChunk {
  const parts = [...chunk.before, chunk, ...chunk.after]
  const [first = chunk] = parts
  return {
    docId: chunk.documentId,
    name: chunk.documentName,
    page: first.page,
    headingPath: chunk.headingPath,
    start: first.start,
    end: parts.at(-1)?.end ?? chunk.end,
    text: textOfChunks(parts),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}
