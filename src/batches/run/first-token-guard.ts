/**
 * Whether batches slow live requests down: the time to the first token of a model's streams while lines run on it,
 * against that while none do. What streams take beyond the usual is added up, less what is borne, and counts when the sum
 * is more than chance explains (a CUSUM chart: Page, Continuous Inspection Schemes, 1954): a long queue shows in three
 * streams, a short one in some dozens, and chance alone seldom in thousands.
 */

/** Weight of the newest sample; the first ones count equally. */
const newestWeight = 0.02
/** Chance makes some streams in a row a little faster. A model that became so much faster is judged by what it is now. */
const fasterBy = 2
/** What is usual is learned from so many streams at least, even while lines run. */
const learnedMin = 16
/** A rise of half of it is not counted. */
const riseBorne = 0.1
/** Standard deviations that the sum may have. */
const sumMax = 7
/** One slow stream is not a queue. */
const sampleMax = 4
/** A normal distribution has this standard deviation for a mean deviation of one. */
const sigmaOf = 1.25
const sigmaMin = 0.05

export class FirstTokenGuard {
  /** Mean and mean deviation while no lines run; null before the first sample, and when the model has become faster. */
  #calm: { ms: number; deviation: number; samples: number } | null = null
  #above = 0
  #below = 0

  /** Takes the time of one live stream. True when lines should be fewer. */
  observe(ms: number, isBusy: boolean): boolean {
    if (!isBusy || this.#calm === null || this.#calm.samples < learnedMin) {
      this.#learn(ms)
      return false
    }
    const { ms: usual, deviation } = this.#calm
    const sigma = Math.max(sigmaOf * deviation, sigmaMin * usual)
    const borne = Math.max((riseBorne / 2) * usual, sigma / 2)
    const most = sampleMax * sigma
    this.#above = Math.max(0, this.#above + Math.min(most, ms - usual - borne))
    this.#below = Math.max(0, this.#below + Math.min(most, usual - ms - borne))
    if (this.#below > sumMax * sigma && ms * fasterBy < usual) this.#calm = null
    if (this.#above <= sumMax * sigma) return false
    this.#above = 0
    return true
  }

  #learn(ms: number): void {
    this.#above = 0
    this.#below = 0
    const calm = (this.#calm ??= { ms, deviation: 0, samples: 0 })
    calm.samples += 1
    const weight = Math.max(newestWeight, 1 / calm.samples)
    const off = ms - calm.ms
    calm.ms += weight * off
    calm.deviation += weight * (Math.abs(off) - calm.deviation)
  }
}
