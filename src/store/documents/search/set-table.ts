/** Numbers of sets and the small numbers that stand for them, in typed arrays: 12 bytes a place. */

const free = 0
const removed = -1

/** A hash table with linear probing. Keys are whole numbers from 1 on. */
export class SetTable {
  #keys = new Float64Array(16)
  #values = new Uint32Array(16)
  /** Places that hold a key or held one. */
  #taken = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: number): number | undefined {
    const place = this.#placeOf(key)
    return this.#keys[place] === key ? this.#values[place] : undefined
  }

  set(key: number, value: number): void {
    if (4 * (this.#taken + 1) > 3 * this.#keys.length) this.#rebuild()
    const place = this.#placeOf(key)
    if (this.#keys[place] !== key) {
      this.#keys[place] = key
      this.#taken += 1
      this.#size += 1
    }
    this.#values[place] = value
  }

  delete(key: number): void {
    const place = this.#placeOf(key)
    if (this.#keys[place] !== key) return
    this.#keys[place] = removed
    this.#size -= 1
  }

  /** The key's place, or the free one at which the search for it ends. */
  #placeOf(key: number): number {
    const mask = this.#keys.length - 1
    let place = Math.imul(key % 2 ** 32, 0x9e3779b1) >>> 0
    for (place &= mask; this.#keys[place] !== free && this.#keys[place] !== key; place = (place + 1) & mask) continue
    return place
  }

  #rebuild(): void {
    const [keys, values] = [this.#keys, this.#values]
    const length = Math.max(16, 2 ** Math.ceil(Math.log2(2 * (this.#size + 1))))
    this.#keys = new Float64Array(length)
    this.#values = new Uint32Array(length)
    this.#taken = 0
    this.#size = 0
    for (const [place, key] of keys.entries()) if (key > 0) this.set(key, values[place] ?? 0)
  }
}
