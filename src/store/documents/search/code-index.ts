/**
 * The codes of one vector space in memory, a block for each set of chunks, and the scan over them. The
 * blocks lie in segments of fixed size: 48 bytes for a chunk of 384 dimensions, and little more.
 *
 * A scan looks at the sets that it is given and at nothing else: filters cost nothing and cut nothing
 * off. It goes by the bits first; what is near then is ordered by the query's own values against the
 * bits, which tells more. The caller compares the best of those with the vectors themselves.
 */
import { chunkRow } from '../rows/chunk-row.ts'
import type { SignCoder } from '../indexing/sign-code.ts'

interface Block {
  readonly setRow: number
  /** Place of its first code, over all segments. */
  readonly start: number
  readonly count: number
}

const segmentCodes = 2 ** 14
/** How many more codes the second pass looks at than the caller asks for. */
const looked = { min: 4096, times: 10 }

export class CodeIndex {
  readonly coder: SignCoder
  readonly #blocks = new Map<number, Block>()
  #segments: Uint32Array[] = []
  #used = 0
  #wasted = 0
  #distances = new Uint16Array(0)

  constructor(coder: SignCoder) {
    this.coder = coder
  }

  has(setRow: number): boolean {
    return this.#blocks.has(setRow)
  }

  /** Bytes that the codes take. */
  get bytes(): number {
    return this.#segments.length * segmentCodes * this.coder.words * Uint32Array.BYTES_PER_ELEMENT
  }

  /** The codes of a set's chunks in their order, from the first to the last. */
  add(setRow: number, codes: Uint8Array): void {
    const { words } = this.coder
    const aligned = new Uint32Array(new Uint8Array(codes).buffer)
    this.#append(setRow, aligned.length / words, (from, count) =>
      aligned.subarray(from * words, (from + count) * words),
    )
  }

  remove(setRow: number): void {
    const block = this.#blocks.get(setRow)
    if (block === undefined) return
    this.#blocks.delete(setRow)
    this.#wasted += block.count
    if (this.#wasted > segmentCodes && this.#wasted > this.#used / 4) this.#compact()
  }

  /** Rows whose vectors are likely to be nearest to this one, at most `count`, the likeliest first; all when there are no more. */
  nearest(vector: Float32Array, sets: Iterable<number>, count: number): readonly number[] {
    const blocks: Block[] = []
    let total = 0
    for (const setRow of sets) {
      const block = this.#blocks.get(setRow)
      if (block === undefined) continue
      blocks.push(block)
      total += block.count
    }
    const rotated = this.coder.rotate(vector)
    this.#measure(blocks, total, this.coder.encode(rotated))
    const farthest = this.#farthest(total, Math.max(looked.min, count * looked.times))
    return this.#ordered(blocks, { farthest, count }, rotated).slice(0, count)
  }

  #append(setRow: number, count: number, codes: (from: number, count: number) => Uint32Array): void {
    const { words } = this.coder
    const start = this.#used
    for (let done = 0; done < count;) {
      const place = (start + done) % segmentCodes
      if (place === 0 || this.#segments.length === 0) this.#segments.push(new Uint32Array(segmentCodes * words))
      const some = Math.min(count - done, segmentCodes - place)
      this.#segments.at(-1)?.set(codes(done, some), place * words)
      done += some
    }
    this.#used += count
    this.#blocks.set(setRow, { setRow, start, count })
  }

  #compact(): void {
    const [segments, blocks, { words }] = [this.#segments, [...this.#blocks.values()], this.coder]
    this.#segments = []
    this.#used = 0
    this.#wasted = 0
    for (const { setRow, start, count } of blocks) {
      const copy = new Uint32Array(count * words)
      let done = 0
      eachRun(start, count, (segment, place, some) => {
        const codes = segments[segment]?.subarray(place * words, (place + some) * words)
        if (codes !== undefined) copy.set(codes, done * words)
        done += some
      })
      this.#append(setRow, count, (from, some) => copy.subarray(from * words, (from + some) * words))
    }
  }

  /** Puts the number of differing bits of every code into `#distances`, in the order of the blocks. */
  #measure(blocks: readonly Block[], total: number, query: Uint32Array): void {
    if (this.#distances.length < total) this.#distances = new Uint16Array(Math.ceil(total * 1.25))
    const [distances, { words }] = [this.#distances, this.coder]
    let out = 0
    for (const { start, count } of blocks) {
      eachRun(start, count, (segment, place, some) => {
        const codes = this.#segments[segment] ?? query
        out = measureRun({ codes, query, words, distances }, place * words, some, out)
      })
    }
  }

  /** The distance up to which there are at least `count` codes. */
  #farthest(total: number, count: number): number {
    const codesAt = new Uint32Array(this.coder.words * 32 + 1)
    for (let at = 0; at < total; at += 1) {
      const distance = this.#distances[at] ?? 0
      codesAt[distance] = (codesAt[distance] ?? 0) + 1
    }
    let farthest = 0
    for (let seen = codesAt[0] ?? 0; seen < count && farthest < codesAt.length - 1;) {
      farthest += 1
      seen += codesAt[farthest] ?? 0
    }
    return farthest
  }

  /** The rows of the best `count` codes within that distance, and of those that are as good as the last of them. */
  #ordered(
    blocks: readonly Block[],
    { farthest, count }: { readonly farthest: number; readonly count: number },
    rotated: Float32Array,
  ): readonly number[] {
    const tables = byteTables(rotated)
    const rows: number[] = []
    const scores: number[] = []
    let at = 0
    for (const { setRow, start, count: codes } of blocks) {
      for (let ordinal = 0; ordinal < codes; ordinal += 1, at += 1) {
        if ((this.#distances[at] ?? 0) > farthest) continue
        rows.push(chunkRow(setRow, ordinal))
        scores.push(this.#score(start + ordinal, tables))
      }
    }
    // Numbers sort many times faster than objects do, and all but the best are left out here.
    const least = Float64Array.from(scores).sort().at(-Math.min(count, scores.length)) ?? 0
    const best = rows.flatMap((row, index) => {
      const score = scores[index] ?? 0
      return score >= least ? { row, score } : []
    })
    return best.sort((one, other) => other.score - one.score || one.row - other.row).map(({ row }) => row)
  }

  /** The scalar product of the query with the signs of a code. */
  #score(place: number, tables: Float32Array): number {
    const { words } = this.coder
    const segment = this.#segments[Math.floor(place / segmentCodes)]
    const first = (place % segmentCodes) * words
    let score = 0
    for (let word = 0; word < words; word += 1) {
      const code = segment?.[first + word] ?? 0
      const table = word * 1024
      score +=
        (tables[table + (code & 255)] ?? 0) +
        (tables[table + 256 + ((code >>> 8) & 255)] ?? 0) +
        (tables[table + 512 + ((code >>> 16) & 255)] ?? 0) +
        (tables[table + 768 + (code >>> 24)] ?? 0)
    }
    return score
  }
}

interface Measuring {
  readonly codes: Uint32Array
  readonly query: Uint32Array
  readonly words: number
  readonly distances: Uint16Array
}

/** Measures codes that lie one after the other; returns where the next distance goes. */
function measureRun({ codes, query, words, distances }: Measuring, from: number, count: number, out: number): number {
  let at = from
  for (let code = 0; code < count; code += 1) {
    let distance = 0
    for (let word = 0; word < words; word += 1, at += 1) {
      // Counts the bits of a word (Warren, "Hacker's Delight", 5-1).
      let bits = (codes[at] ?? 0) ^ (query[word] ?? 0)
      bits -= (bits >>> 1) & 0x55555555
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
      distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
    }
    distances[out + code] = distance
  }
  return out + count
}

/** The pieces of a block that lie in one segment each. */
function eachRun(start: number, count: number, run: (segment: number, place: number, count: number) => void): void {
  for (let done = 0; done < count;) {
    const place = (start + done) % segmentCodes
    const some = Math.min(count - done, segmentCodes - place)
    run(Math.floor((start + done) / segmentCodes), place, some)
    done += some
  }
}

/** For each byte of a code and each value of it: the sum of the query's values, with the signs of its bits. */
function byteTables(rotated: Float32Array): Float32Array {
  const bytes = rotated.length / 8
  const tables = new Float32Array(bytes * 256)
  for (let byte = 0; byte < bytes; byte += 1) {
    const values = rotated.subarray(byte * 8, byte * 8 + 8)
    const table = tables.subarray(byte * 256, byte * 256 + 256)
    table[0] = -values.reduce((sum, value) => sum + value, 0)
    for (let bits = 1; bits < 256; bits += 1) {
      // As the value without its lowest bit, with that bit's sign turned.
      const lowest = 31 - Math.clz32(bits & -bits)
      table[bits] = (table[bits & (bits - 1)] ?? 0) + 2 * (values[lowest] ?? 0)
    }
  }
  return tables
}
