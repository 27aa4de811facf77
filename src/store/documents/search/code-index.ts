/**
 * The codes of one vector space in memory, and the scan over them. A set of chunks is one piece of neighbouring codes,
 * or a few: 52 bytes a chunk of 384 dimensions, and 24 a set: pieces have numbers of 32 bits, so there may be four thousand million codes.
 *
 * A scan looks at the sets that it is given and at nothing else: filters cost nothing and cut nothing off. It goes by
 * the bits first; what is near then is ordered by the query's own values against the bits, which tells more. The caller
 * compares the best of those with the vectors themselves.
 */
import { chunkRow } from '../rows/chunk-row.ts'
import { scaleUnit, type SignCoder } from '../indexing/sign-code.ts'
import { byteTables, tableProduct } from './byte-tables.ts'
import { CodeMemory, type CodeRange } from './code-memory.ts'
import { grown } from './grown.ts'
import { TopCodes } from './top-codes.ts'
import type { NearRow } from '../places/vector-index.ts'

/** Codes of one centre, one after the other. */
export interface CodePiece {
  /** Number of the centre; 0 for none. */
  readonly centre: number
  /** Place of the first of them in its set. */
  readonly first: number
  readonly codes: Uint8Array
  /** As sign-code.ts has them. */
  readonly scales: Uint8Array
}

/** Codes of one centre, and the pieces that they are of in their order. */
export interface CodeRun extends Omit<CodePiece, 'first'> {
  readonly pieces: Iterable<{ readonly slot: number; readonly first: number; readonly count: number }>
}

interface Asked {
  readonly vector: Float32Array
  /** The sets that are looked at. */
  readonly has: (slot: number) => boolean
  readonly setRowOf: (slot: number) => number
  /** Most rows that are returned; as many more are looked at as the number of codes asks for. */
  readonly count: number
  /** How many of them the search needs; more are returned as long as they may be among those. */
  readonly wanted: number
}

const dead = 0xffff_ffff
const scaleBytes = 4
/** One in so many codes, and at least so many, get the second look. */
const secondLook = { part: 128, min: 4096, max: 32_768 }
/** Times the query's length and the code's factor: some 1.7 standard deviations of an estimate (RaBitQ, theorem 3.2). */
const deviations = 2

export class CodeIndex {
  readonly coder: SignCoder
  /** Rotated, by their numbers. */
  readonly #centres = new Map<number, Float32Array>()
  #memory: CodeMemory
  /** The pieces of each segment of the memory. */
  #segments: PieceList[] = []
  /** The first piece of each slot: 1 more than its number, or 0. */
  #pieceOf = new Uint32Array(16)
  #wasted = 0

  constructor(coder: SignCoder) {
    this.coder = coder
    this.#memory = new CodeMemory(coder.words * Uint32Array.BYTES_PER_ELEMENT)
  }

  get bytes(): number {
    const lists = this.#segments.reduce((sum, { bytes }) => sum + bytes, 0)
    return this.#memory.bytes + lists + this.#pieceOf.byteLength
  }

  has(slot: number): boolean {
    return (this.#pieceOf[slot] ?? 0) > 0
  }

  hasCentre(number: number): boolean {
    return number === 0 || this.#centres.has(number)
  }

  /** @param mean of unit vectors, not rotated */
  addCentre(number: number, mean: Float32Array): void {
    this.#centres.set(number, this.coder.rotate(mean))
  }

  /** The codes of the set in this slot, which has none yet. Their centres are known. */
  add(slot: number, pieces: readonly CodePiece[]): void {
    for (const { first, scales, ...codes } of pieces) {
      this.addRun({ ...codes, scales, pieces: [{ slot, first, count: scales.length / scaleBytes }] })
    }
  }

  /** Codes of one centre that lie one after the other, of one set or of many. */
  addRun({ centre, codes, scales, pieces }: CodeRun): void {
    const ranges = this.#memory.append(centre, codes, scales)
    let [at, used] = [0, 0]
    for (const { slot, first, count } of pieces) {
      this.#pieceOf = grown(this.#pieceOf, slot + 1)
      for (let done = 0; done < count;) {
        const range = ranges[at]
        if (range === undefined) return
        const some = Math.min(count - done, range.count - used)
        const next = (this.#pieceOf[slot] ?? 0) - 1
        const place = { place: range.place + used, count: some }
        this.#pieceOf[slot] = 1 + this.#enter({ slot, first: first + done, next }, place)
        done += some
        used += some
        if (used === range.count) [at, used] = [at + 1, 0]
      }
    }
  }

  remove(slot: number): void {
    const { segmentCodes } = this.#memory
    let piece = (this.#pieceOf[slot] ?? 0) - 1
    if (piece < 0) return
    this.#pieceOf[slot] = 0
    while (piece >= 0) {
      const segment = Math.floor(piece / segmentCodes)
      const list = this.#segments[segment]
      if (list === undefined) return
      const index = piece % segmentCodes
      list.slots[index] = dead
      this.#wasted += list.counts[index] ?? 0
      piece = (list.nexts[index] ?? 0) - 1
    }
    if (this.#wasted > segmentCodes && this.#wasted > this.#memory.codes / 4) this.#compact()
  }

  /** Every set's pieces, with codes that are valid until the index changes. */
  pieces(): Iterable<CodePiece & { readonly slot: number }> {
    return piecesOf(this.#memory, this.#segments, this.coder)
  }

  /** What is likely to be nearest, the one that may be nearest first. */
  nearest(asked: Asked): readonly NearRow[] {
    const queries = new Map<number, CentredQuery>()
    const queryOf = (centre: number): CentredQuery => {
      const known = queries.get(centre) ?? this.#centred(asked.vector, centre)
      queries.set(centre, known)
      return known
    }
    return this.#secondLook(this.#firstLook(asked, queryOf), asked, queryOf)
  }

  #centred(vector: Float32Array, centre: number): CentredQuery {
    const { coder } = this
    const residual = coder.residual(vector, this.#centres.get(centre) ?? null)
    const code = new Uint8Array(coder.encode(residual).buffer)
    let [squares, sum] = [0, 0]
    for (const value of residual) {
      squares += value * value
      sum += Math.abs(value)
    }
    return { residual, code, squares, mean: sum / coder.dimensions, tables: null }
  }

  /** Places of the codes that come nearest by their bits. */
  #firstLook(asked: Asked, queryOf: (centre: number) => CentredQuery): Float64Array {
    const runs = this.#runs(asked)
    const total = runs.reduce((sum, { count }) => sum + count, 0)
    const { part, min, max } = secondLook
    const top = new TopCodes(Math.max(asked.count, Math.min(max, Math.max(min, Math.ceil(total / part)))))
    let segment = -1
    let numbers = { factor: 0, middle: 0, best: 0 }
    for (const run of runs) {
      const its = Math.floor(run.place / this.#memory.segmentCodes)
      if (its !== segment) {
        segment = its
        const { code, mean, squares } = queryOf(this.#memory.centreOf(run.place))
        this.#memory.setQuery(code)
        const { dimensions } = this.coder
        numbers = { factor: (4 * mean) / scaleUnit / Math.sqrt(dimensions), middle: dimensions / 2, best: -squares }
      }
      top.add(this.#memory.scan(run, { ...numbers, least: top.least }), run.place)
    }
    return top.best()
  }

  /** Codes of the sets that are looked at, in ranges as long as they can be. */
  #runs({ has }: Asked): readonly CodeRange[] {
    const runs: { place: number; count: number }[] = []
    const { segmentCodes } = this.#memory
    for (const [segment, { slots, starts, counts, used }] of this.#segments.entries()) {
      let run: { place: number; count: number } | null = null
      for (let index = 0; index < used; index += 1) {
        const slot = slots[index] ?? dead
        if (slot === dead || !has(slot)) run = null
        else if (run === null) {
          run = { place: segment * segmentCodes + (starts[index] ?? 0), count: counts[index] ?? 0 }
          runs.push(run)
        } else run.count += counts[index] ?? 0
      }
    }
    return runs
  }

  /** These codes by the query's own values, the one that may be nearest first. */
  #secondLook(places: Float64Array, asked: Asked, queryOf: (centre: number) => CentredQuery): readonly NearRow[] {
    const { bytes, halves } = this.#memory.views()
    const [least, most] = [new Float64Array(places.length), new Float64Array(places.length)]
    const codeBytes = this.coder.words * Uint32Array.BYTES_PER_ELEMENT
    const root = scaleUnit * Math.sqrt(this.coder.dimensions)
    let [centre, query] = [0, queryOf(0)]
    for (let index = 0; index < places.length; index += 1) {
      const at = this.#memory.addressOf(places[index] ?? 0)
      if (at.centre !== centre) [centre, query] = [at.centre, queryOf(at.centre)]
      const tables = (query.tables ??= byteTables(query.residual))
      const factor = (halves[at.scales / 2] ?? 0) / root
      const length = (halves[at.scales / 2 + 1] ?? 0) / scaleUnit
      const estimate = query.squares + length - 2 * factor * tableProduct(tables, bytes, at.codes, codeBytes)
      const error = deviations * factor * Math.sqrt(query.squares)
      least[index] = estimate - error
      most[index] = estimate + error
    }
    // Numbers sort many times faster than by a comparison, so all but the best are left out first.
    const worst = Math.min(smallest(least, asked.count), smallest(most, asked.wanted))
    const best: number[] = []
    for (let index = 0; index < least.length; index += 1) if ((least[index] ?? 0) <= worst) best.push(index)
    best.sort((a, b) => (least[a] ?? 0) - (least[b] ?? 0) || a - b)
    return best
      .slice(0, asked.count)
      .map((index) => ({ row: this.#rowAt(places[index] ?? 0, asked), atLeast: least[index] ?? 0 }))
  }

  #rowAt(place: number, { setRowOf }: Asked): number {
    const { segmentCodes } = this.#memory
    const offset = place % segmentCodes
    const list = this.#segments[Math.floor(place / segmentCodes)]
    if (list === undefined) return 0
    // Binary search: pieces are in the order of their places.
    let [low, high] = [0, list.used - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((list.starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return chunkRow(setRowOf(list.slots[low] ?? 0), (list.firsts[low] ?? 0) + offset - (list.starts[low] ?? 0))
  }

  #enter(
    { slot, first, next }: { readonly slot: number; readonly first: number; readonly next: number },
    range: CodeRange,
  ) {
    const { segmentCodes } = this.#memory
    const segment = Math.floor(range.place / segmentCodes)
    const list = (this.#segments[segment] ??= new PieceList())
    return (
      segment * segmentCodes + list.push({ slot, first, next, start: range.place % segmentCodes, count: range.count })
    )
  }

  /** Copies what can be found; the memory of the rest is given back. */
  #compact(): void {
    const [memory, segments] = [this.#memory, this.#segments]
    this.#memory = new CodeMemory(this.coder.words * Uint32Array.BYTES_PER_ELEMENT)
    this.#segments = []
    this.#pieceOf.fill(0)
    this.#wasted = 0
    for (const { slot, ...piece } of piecesOf(memory, segments, this.coder)) this.add(slot, [piece])
  }
}

/** The value that `count` of the values do not exceed; infinite when they are fewer. */
function smallest(values: Float64Array, count: number): number {
  return values.slice().sort()[count - 1] ?? Number.POSITIVE_INFINITY
}

/** What a query is to the codes of one centre. */
interface CentredQuery {
  readonly residual: Float32Array
  readonly code: Uint8Array
  /** Squared length of the residual. */
  readonly squares: number
  /** Mean of its values without their signs. */
  readonly mean: number
  tables: Float32Array | null
}

/** Pieces in the order of their places. */
class PieceList {
  slots = new Uint32Array(16)
  firsts = new Uint32Array(16)
  starts = new Uint32Array(16)
  counts = new Uint32Array(16)
  /** Another piece of the same set: 1 more than its number, or 0. */
  nexts = new Uint32Array(16)
  used = 0

  get bytes(): number {
    return this.slots.length * 20
  }

  /** Returns the index of the piece. */
  push(piece: { slot: number; first: number; start: number; count: number; next: number }): number {
    const index = this.used
    this.used += 1
    this.slots = grown(this.slots, this.used)
    this.firsts = grown(this.firsts, this.used)
    this.starts = grown(this.starts, this.used)
    this.counts = grown(this.counts, this.used)
    this.nexts = grown(this.nexts, this.used)
    this.slots[index] = piece.slot
    this.firsts[index] = piece.first
    this.starts[index] = piece.start
    this.counts[index] = piece.count
    this.nexts[index] = piece.next + 1
    return index
  }
}

/** Every set's pieces that can be found, with codes that are valid until the memory changes. */
function* piecesOf(
  memory: CodeMemory,
  segments: readonly PieceList[],
  { words }: SignCoder,
): Iterable<CodePiece & { readonly slot: number }> {
  const codeBytes = words * Uint32Array.BYTES_PER_ELEMENT
  for (const [segment, { slots, firsts, starts, counts, used }] of segments.entries()) {
    for (let index = 0; index < used; index += 1) {
      const slot = slots[index] ?? dead
      if (slot === dead) continue
      const range = { place: segment * memory.segmentCodes + (starts[index] ?? 0), count: counts[index] ?? 0 }
      const { centre } = memory.addressOf(range.place)
      yield { slot, first: firsts[index] ?? 0, centre, ...memory.read(range, codeBytes) }
    }
  }
}
