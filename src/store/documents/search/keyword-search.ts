/** What the two engines' searches by words have in common. */
import type { Connection } from '../../database.ts'
import type { FindQuery, RankedChunk } from '../document-store.ts'
import type { Allowed } from './visible-sets.ts'

export interface KeywordQuery extends Pick<FindQuery, 'viewer' | 'filter' | 'limit'> {
  readonly keywords: string
  readonly allowed: Allowed
  /** The version of the database's changes; it says how old a cached count is. */
  readonly version: number
}

export interface KeywordSearch {
  /** The best chunks that have any of the words, within what is allowed. */
  search(reading: Connection, query: KeywordQuery): Promise<readonly RankedChunk[]>
}

/** Most chunks that are ranked for common words, when the rarer words give too few hits. */
export function commonRowsMax({ limit }: KeywordQuery): number {
  return Math.max(200, limit * 4)
}

/** The first list, then what only the second has. */
export function appendMissing(
  first: readonly RankedChunk[],
  second: readonly RankedChunk[],
  limit: number,
): readonly RankedChunk[] {
  const seen = new Set(first.map(({ row }) => row))
  const lowest = first.at(-1)?.score ?? Number.POSITIVE_INFINITY
  const rest = second
    .filter(({ row }) => !seen.has(row))
    .map(({ row, score }) => ({ row, score: Math.min(score, lowest) }))
  return [...first, ...rest].slice(0, limit)
}

/** The best first; of equal ones the one that was stored earlier. */
export function byScore(a: RankedChunk, b: RankedChunk): number {
  return b.score - a.score || a.row - b.row
}
