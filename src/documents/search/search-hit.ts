/** One passage that a search has found. */
import type { ChunkInContext } from '#store/documents/document-store.ts'

export interface SearchHit {
  readonly chunk: ChunkInContext
  /** Higher is better; from 0 to 1 for `hybrid`, as the search has it otherwise. */
  readonly score: number
  /** How well it fits by meaning: cosine similarity; null when it is not among the best. */
  readonly vector: ScorePart | null
  /** How well it fits by words; null when it is not among the best. */
  readonly keyword: ScorePart | null
  /** How well a rerank model finds that it fits; null when none was asked or it left the chunk out. */
  readonly rerank: ScorePart | null
}

export interface ScorePart {
  readonly score: number
  /** From 1. */
  readonly rank: number
}
