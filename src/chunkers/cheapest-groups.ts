/**
 * Puts items together into chunks with the least sum of penalties. Cutting greedily fills one chunk and
 * pays at the next; this decides for the whole document at once, as the shortest path over its boundaries
 * (D. E. Knuth and M. F. Plass, "Breaking Paragraphs into Lines", 1981). Time is items × items of a chunk,
 * and the latter is bounded: items too small to matter are joined first.
 */
import type { ChunkOptions } from './chunk.ts'

/** What chunks are put together from. */
export interface Item {
  /** What it costs to begin a chunk here; one more chunk costs 1. Negative: a cut is wanted. */
  readonly penalty: number
  /** The size of a chunk is the sum over its items. */
  readonly size: number
  /** What the last item of a chunk adds to that. */
  readonly spaceSize: number
  /** What a chunk that begins here carries besides. */
  readonly headerSize: number
}

/** Pieces `from` to `to` (exclusive) make one chunk. */
export interface Group {
  readonly from: number
  readonly to: number
}

const runsPerChunk = 128
/** A chunk costs up to this much more the emptier it is, so that the chunks of a document are about as large. */
const emptyCost = 2

/** Groups in order that hold every item. A group is larger than the limits only where a single item is. */
export function cheapestGroups(items: readonly Item[], limits: ChunkOptions): readonly Group[] {
  const runs = runsOf(items, Math.floor(limits.units / runsPerChunk))
  // The cheapest way to the boundary before each run, and where its last chunk begins.
  const costs = [0]
  const begins = [0]
  for (let to = 1; to <= runs.length; to++) {
    const [cost, begin] = cheapestLast(runs, to, limits, costs)
    costs.push(cost + (runs[to]?.penalty ?? 0))
    begins.push(begin)
  }
  return groupsOf(runs, begins)
}

/** The cheapest way to make chunks of the first `to` runs, given what the ways to each boundary before cost. */
function cheapestLast(
  runs: readonly Run[],
  to: number,
  limits: ChunkOptions,
  costs: readonly number[],
): readonly [cost: number, begin: number] {
  let [least, begin] = [Number.POSITIVE_INFINITY, to - 1]
  let size = runs[to - 1]?.spaceSize ?? 0
  for (let from = to - 1; from >= 0; from--) {
    const { size: added, headerSize } = runs[from] ?? nothing
    size += added
    const isOne = from === to - 1
    if (size > limits.units && !isOne) break
    if (size > limits.units - headerSize - (from > 0 ? limits.overlap : 0) && !isOne) continue
    const empty = Math.max(0, 1 - size / limits.units)
    const cost = (costs[from] ?? 0) + 1 + emptyCost * empty * empty
    if (cost < least) [least, begin] = [cost, from]
  }
  return [least, begin]
}

const nothing = { size: 0, headerSize: 0 }

/** Several items that are cut or kept as one. */
interface Run extends Item {
  readonly from: number
  size: number
  spaceSize: number
  to: number
}

function runsOf(items: readonly Item[], sizeMax: number): readonly Run[] {
  const runs: Run[] = []
  let open: Run | undefined
  for (const [index, { penalty, size, spaceSize, headerSize }] of items.entries()) {
    if (open !== undefined && open.size + size <= sizeMax) {
      open.size += size
      open.spaceSize = spaceSize
      open.to = index + 1
    } else {
      open = { penalty, headerSize, from: index, to: index + 1, size, spaceSize }
      runs.push(open)
    }
  }
  return runs
}

function groupsOf(runs: readonly Run[], begins: readonly number[]): readonly Group[] {
  const groups: Group[] = []
  for (let end = runs.length; end > 0;) {
    const start = begins[end] ?? 0
    groups.push({ from: runs[start]?.from ?? 0, to: runs[end - 1]?.to ?? 0 })
    end = start
  }
  return groups.toReversed()
}
