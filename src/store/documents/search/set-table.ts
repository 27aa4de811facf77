/** Which slot a set has, by its number: 4 bytes a place, since the slot itself tells which set it is of. */

const free = 0
const removed = 0xffff_ffff

/** A hash table with linear probing. Numbers of sets are whole numbers from 1 on. */
export class SetTable {
  /** 1 more than the slot. */
  #places = new Uint32Array(16)
  readonly #setRowOf: (slot: number) => number
  /** Places that hold a slot or held one. */
  #taken = 0
  #size = 0

  /** @param setRowOf the set that a slot which is in the table is of */
  constructor(setRowOf: (slot: number) => number) {
    this.#setRowOf = setRowOf
  }

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    return this.#places.byteLength
  }

  get(setRow: number): number | undefined {
    const held = this.#places[this.#placeOf(setRow)] ?? free
    return held === free ? undefined : held - 1
  }

  /** Adds a slot that is of a set which has none yet. */
  add(slot: number): void {
    if (4 * (this.#taken + 1) > 3 * this.#places.length) this.#rebuild()
    this.#places[this.#placeOf(this.#setRowOf(slot))] = slot + 1
    this.#taken += 1
    this.#size += 1
  }

  /** Removes the slot of this set, if it has one. */
  delete(setRow: number): void {
    const place = this.#placeOf(setRow)
    if (this.#places[place] === free) return
    this.#places[place] = removed
    this.#size -= 1
  }

  /** The place of the set's slot, or the free one at which the search for it ends. */
  #placeOf(setRow: number): number {
    const mask = this.#places.length - 1
    let place = (Math.imul(setRow % 2 ** 32, 0x9e3779b1) >>> 0) & mask
    for (;;) {
      const held = this.#places[place] ?? free
      if (held === free || (held !== removed && this.#setRowOf(held - 1) === setRow)) return place
      place = (place + 1) & mask
    }
  }

  #rebuild(): void {
    const places = this.#places
    this.#places = new Uint32Array(Math.max(16, 2 ** Math.ceil(Math.log2(2 * (this.#size + 1)))))
    this.#taken = 0
    this.#size = 0
    for (const held of places) if (held !== free && held !== removed) this.add(held - 1)
  }
}
