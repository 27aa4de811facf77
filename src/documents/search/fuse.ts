/**
 * Reciprocal rank fusion: one order from several ranked lists, by ranks alone, since the scores of
 * different searches cannot be compared (Cormack, Clarke and Büttcher, SIGIR 2009).
 */

/** The constant of the paper: how fast a rank loses weight. */
const damping = 60

export interface FusedRow {
  readonly row: number
  /** Sum over the lists of 1 / (60 + rank), divided by what the first place in all of them gives: 0 to 1. */
  readonly score: number
}

/** Rows in the order of their fused score; of equal ones the earlier list decides, then the earlier place. */
export function fuse(lists: readonly (readonly number[])[]): readonly FusedRow[] {
  const sums = new Map<number, number>()
  for (const list of lists)
    for (const [index, row] of list.entries()) sums.set(row, (sums.get(row) ?? 0) + 1 / (damping + index + 1))
  const best = lists.length / (damping + 1)
  return [...sums].map(([row, sum]) => ({ row, score: sum / best })).sort((a, b) => b.score - a.score)
}
