/**
 * Small sets of bits by hash, for those that were used lately: a table of numbers that forgets by halves. Two hashes that
 * are the same are one entry.
 */

const slotsMin = 1024
/** Odd, so that neighbours in the order of hashes are none in the table. */
const spread = 0x9e3779b1

export class RecentBits {
  readonly #entriesMax: number
  /** What was used since the table was last half full, and what before. */
  #recent = new Slots(slotsMin)
  #earlier = new Slots(slotsMin)

  /** @param entriesMax remembered at most; the half that was used last is remembered for certain */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  /** The bits of a hash; 0 for one that is not remembered. */
  get(hash: number): number {
    return this.#recent.get(hash) || this.#earlier.get(hash)
  }

  /** Remembers these bits in place of what there was. @param bits not 0 */
  put(hash: number, bits: number): void {
    this.#recent.set(hash, bits)
    if (this.#recent.count < this.#entriesMax / 2) return
    this.#earlier = this.#recent
    this.#recent = new Slots(this.#earlier.size)
  }

  clear(): void {
    this.#recent = new Slots(slotsMin)
    this.#earlier = new Slots(slotsMin)
  }
}

/** Open addressing: a hash and its bits beside each other, at most every second place taken. */
class Slots {
  count = 0
  #pairs: Int32Array
  #mask: number

  constructor(size: number) {
    this.#pairs = new Int32Array(size * 2)
    this.#mask = size - 1
  }

  get size(): number {
    return this.#mask + 1
  }

  get(hash: number): number {
    return this.#pairs[this.#find(hash) + 1] ?? 0
  }

  /** @param bits not 0, which marks a place that is free */
  set(hash: number, bits: number): void {
    const at = this.#find(hash)
    if (this.#pairs[at + 1] === 0) {
      this.count += 1
      this.#pairs[at] = hash
    }
    this.#pairs[at + 1] = bits
    if (this.count * 2 > this.size) this.#grow()
  }

  /** Where the hash is, or the place that it would have. */
  #find(hash: number): number {
    const pairs = this.#pairs
    const mask = this.#mask
    let at = Math.imul(hash, spread) >>> 7
    for (;;) {
      at &= mask
      const place = at << 1
      if (pairs[place + 1] === 0 || pairs[place] === hash) return place
      at += 1
    }
  }

  #grow(): void {
    const before = this.#pairs
    this.#mask = this.size * 2 - 1
    this.#pairs = new Int32Array(before.length * 2)
    this.count = 0
    for (let at = 0; at < before.length; at += 2) {
      const bits = before[at + 1] ?? 0
      if (bits !== 0) this.set(before[at] ?? 0, bits)
    }
  }
}
