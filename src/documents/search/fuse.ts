/**
 * Reciprocal rank fusion: one order from several ranked lists, by ranks alone, since the scores of
 * different searches cannot be compared (Cormack, Clarke and Büttcher, SIGIR 2009).
 */

import type { FindResult } from '#store/documents/document-store.ts'

/** The constant of the paper: how fast a rank loses weight. */
const damping = 60

export interface FusedRow {
  readonly row: number
  /** Sum over the lists of 1 / (60 + rank), divided by what the first place in all of them gives: 0 to 1. */
  readonly score: number
}

/** How much the lists by vectors and those by words count beside each other; not both 0. */
export interface Weights {
  readonly vector: number
  readonly keyword: number
}

const equal: Weights = { vector: 1, keyword: 1 }

/**
 * Rows in the order of their fused score; of equal ones the earlier list decides, then the earlier place.
 * @param weightOf how much a list counts, by its place; above 0
 */
export function fuse(
  lists: readonly (readonly number[])[],
  weightOf: (at: number) => number = () => 1,
): readonly FusedRow[] {
  const sums = new Map<number, number>()
  let best = 0
  for (const [at, list] of lists.entries()) {
    const weight = weightOf(at)
    best += weight / (damping + 1)
    for (const [index, row] of list.entries()) sums.set(row, (sums.get(row) ?? 0) + weight / (damping + index + 1))
  }
  return [...sums].map(([row, sum]) => ({ row, score: sum / best })).sort((a, b) => b.score - a.score)
}

/**
 * All rows of what was found in one order. Cosines of different spaces cannot be compared: each space is a list of its
 * own. A cosine of zero or less says that the two have nothing in common: such rows only fill what the others leave.
 */
export function fused(
  { vector, keyword }: Pick<FindResult, 'vector' | 'keyword'>,
  weights: Weights = equal,
): readonly FusedRow[] {
  const spaces = [...Map.groupBy(vector, ({ spaceKey }) => spaceKey).values()]
  const near = spaces.map((list) => list.filter(({ score }) => score > 0))
  const lists = [...near, keyword].filter((list) => list.length > 0)
  const rows = fuse(
    lists.map((list) => list.map(({ row }) => row)),
    (at) => (lists[at] === keyword ? weights.keyword : weights.vector),
  )
  const seen = new Set(rows.map(({ row }) => row))
  const rest = vector.filter(({ row }) => !seen.has(row)).map(({ row }) => ({ row, score: 0 }))
  return [...rows, ...rest]
}
