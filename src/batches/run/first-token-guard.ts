/**
 * Whether batches slow live requests down: the time to the first token of a model's streams while lines run on it,
 * against that while none do. A mean of some samples counts when it is higher than chance explains.
 */

const samplesTogether = 8
const newestWeight = 0.1
/** So many that are together so much slower are enough. */
const plainSamples = 3
const plainRise = 2
/** A rise of less than this is borne. */
const riseBorne = 0.1

export class FirstTokenGuard {
  /** Mean and mean deviation while no lines run; null before the first sample. */
  #calm: { ms: number; deviation: number } | null = null
  #sum = 0
  #count = 0

  /** Takes the time of one live stream. True when lines should be fewer. */
  observe(ms: number, isBusy: boolean): boolean {
    if (!isBusy || this.#calm === null) {
      this.#learn(ms)
      return false
    }
    this.#sum += ms
    this.#count += 1
    const mean = this.#sum / this.#count
    // Nobody has to count to eight to see that there is a queue.
    const isPlain = this.#count >= plainSamples && mean > plainRise * this.#calm.ms
    if (this.#count < samplesTogether && !isPlain) return false
    this.#sum = 0
    this.#count = 0
    // A model that became faster is judged by what it is now.
    if (mean < this.#calm.ms) this.#learn(mean)
    const chance = (2 * this.#calm.deviation) / Math.sqrt(samplesTogether)
    return mean > this.#calm.ms + Math.max(this.#calm.ms * riseBorne, chance)
  }

  #learn(ms: number): void {
    this.#sum = 0
    this.#count = 0
    this.#calm ??= { ms, deviation: 0 }
    const off = ms - this.#calm.ms
    this.#calm.ms += newestWeight * off
    this.#calm.deviation += newestWeight * (Math.abs(off) - this.#calm.deviation)
  }
}
