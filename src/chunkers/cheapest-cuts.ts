/**
 * Which of all ways to put pieces together into chunks tears least apart. Cutting greedily fills one
 * chunk and pays at the next; here the whole document is decided at once, as the shortest path over its
 * seams (as TeX breaks a paragraph into lines). Time is pieces × pieces of a chunk, and the latter is
 * bounded: pieces too small to matter are taken together first.
 */
/** What chunks are put together from. */
export interface Brick {
  /** What it costs to begin a chunk here; one more chunk costs 1. Negative: a cut is wanted. */
  readonly cutCost: number
  /** Of several bricks the sum is the size of a chunk. */
  readonly size: number
  /** What the last brick of a chunk adds to that. */
  readonly spaceSize: number
  /** What a chunk that begins here carries besides. */
  readonly headerSize: number
}

/** How large things may be, in the chunker's unit. */
export interface Room {
  /** A chunk, with what it repeats. */
  readonly units: number
  /** What a chunk repeats of the one before; less than `units`. */
  readonly overlap: number
}

/** Pieces `from` to `to` (exclusive) make one chunk. */
export interface Group {
  readonly from: number
  readonly to: number
}

const grainsPerChunk = 128
/** A chunk costs up to this much more the emptier it is, so that the chunks of a document are about as large. */
const emptyCost = 2

/** Groups in order that hold every brick. A group is larger than the room only where a single brick is. */
export function cheapestGroups(bricks: readonly Brick[], room: Room): readonly Group[] {
  const grains = grainsOf(bricks, Math.floor(room.units / grainsPerChunk))
  // The cheapest way to the seam before each grain, and where its last chunk begins.
  const costs = [0]
  const begins = [0]
  for (let to = 1; to <= grains.length; to++) {
    const [cost, begin] = cheapestLast(grains, to, room, costs)
    costs.push(cost + (grains[to]?.cutCost ?? 0))
    begins.push(begin)
  }
  return groupsOf(grains, begins)
}

/** The cheapest way to make chunks of the first `to` grains, given what the ways to each seam before cost. */
function cheapestLast(
  grains: readonly Grain[],
  to: number,
  room: Room,
  costs: readonly number[],
): readonly [cost: number, begin: number] {
  let [least, begin] = [Number.POSITIVE_INFINITY, to - 1]
  let size = grains[to - 1]?.spaceSize ?? 0
  for (let from = to - 1; from >= 0; from--) {
    const { size: added, headerSize } = grains[from] ?? nothing
    size += added
    const isOne = from === to - 1
    if (size > room.units && !isOne) break
    if (size > room.units - headerSize - (from > 0 ? room.overlap : 0) && !isOne) continue
    const empty = Math.max(0, 1 - size / room.units)
    const cost = (costs[from] ?? 0) + 1 + emptyCost * empty * empty
    if (cost < least) [least, begin] = [cost, from]
  }
  return [least, begin]
}

const nothing = { size: 0, headerSize: 0 }

/** Several bricks that are cut or kept as one. */
interface Grain extends Brick {
  readonly from: number
  size: number
  spaceSize: number
  to: number
}

function grainsOf(bricks: readonly Brick[], sizeMax: number): readonly Grain[] {
  const grains: Grain[] = []
  let open: Grain | undefined
  for (const [index, { cutCost, size, spaceSize, headerSize }] of bricks.entries()) {
    if (open !== undefined && open.size + size <= sizeMax) {
      open.size += size
      open.spaceSize = spaceSize
      open.to = index + 1
    } else {
      open = { cutCost, headerSize, from: index, to: index + 1, size, spaceSize }
      grains.push(open)
    }
  }
  return grains
}

function groupsOf(grains: readonly Grain[], begins: readonly number[]): readonly Group[] {
  const groups: Group[] = []
  for (let end = grains.length; end > 0;) {
    const start = begins[end] ?? 0
    groups.push({ from: grains[start]?.from ?? 0, to: grains[end - 1]?.to ?? 0 })
    end = start
  }
  return groups.toReversed()
}
