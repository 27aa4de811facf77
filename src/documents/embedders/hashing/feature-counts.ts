/**
 * How often each feature of a text occurs: a hash table of numbers in typed arrays, which one text
 * after another uses. A Map would cost several times as much as all the rest of hashing a text.
 */

const startSize = 4096
/** A larger table is given up after the text that needed it. */
const keptSize = 1 << 14

export class FeatureCounts {
  /** 0 is an empty place. */
  #features = new Uint32Array(startSize)
  #weights = new Float32Array(startSize)
  #counts = new Uint32Array(startSize)
  #size = 0

  clear(): void {
    this.#size = 0
    if (this.#features.length > keptSize) this.#resize(startSize)
    else this.#features.fill(0)
  }

  /** Counts one occurrence. The weight is the feature's own, always the same. */
  add(feature: number, weight: number): void {
    if (this.#size * 2 >= this.#features.length) this.#grow()
    // 0 marks an empty place, so that one hash shares a place with another.
    const place = this.#placeOf(feature === 0 ? 1 : feature >>> 0)
    if (this.#features[place] === 0) {
      this.#features[place] = feature === 0 ? 1 : feature
      this.#weights[place] = weight
      this.#counts[place] = 1
      this.#size += 1
    } else this.#counts[place] = (this.#counts[place] ?? 0) + 1
  }

  forEach(visit: (feature: number, weight: number, count: number) => void): void {
    for (let place = 0; place < this.#features.length; place += 1) {
      const feature = this.#features[place] ?? 0
      if (feature !== 0) visit(feature, this.#weights[place] ?? 0, this.#counts[place] ?? 0)
    }
  }

  /** Where the feature stands, or the empty place for it. */
  #placeOf(feature: number): number {
    const mask = this.#features.length - 1
    let place = (feature ^ (feature >>> 15)) & mask
    while (this.#features[place] !== 0 && this.#features[place] !== feature) place = (place + 1) & mask
    return place
  }

  #grow(): void {
    const [features, weights, counts] = [this.#features, this.#weights, this.#counts]
    this.#resize(features.length * 2)
    for (const [at, feature] of features.entries()) {
      if (feature === 0) continue
      const place = this.#placeOf(feature)
      this.#features[place] = feature
      this.#weights[place] = weights[at] ?? 0
      this.#counts[place] = counts[at] ?? 0
    }
  }

  #resize(length: number): void {
    this.#features = new Uint32Array(length)
    this.#weights = new Float32Array(length)
    this.#counts = new Uint32Array(length)
  }
}
