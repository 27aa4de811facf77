/**
 * The best of a long run of scores, found while they arrive: those that cannot be among the best are left out by one
 * comparison, and the memory is bounded by how many are wanted.
 */

/** Kept before the worse part is dropped, for each one that is wanted. */
const slack = 4

/** Scores and the numbers of their codes in turns: those of the first at 0 and 1. */
export interface Scored {
  readonly scores: Float32Array
  readonly numbers: Uint32Array
  readonly count: number
}

export class TopCodes {
  readonly #wanted: number
  readonly #scores: Float32Array
  readonly #places: Float64Array
  #kept = 0
  #least = Number.NEGATIVE_INFINITY

  constructor(wanted: number) {
    this.#wanted = wanted
    this.#scores = new Float32Array(wanted * slack)
    this.#places = new Float64Array(wanted * slack)
  }

  /** What scores less is not among the best any more. */
  get least(): number {
    return this.#least
  }

  /** Scores of places, numbered from `first` on. */
  add({ scores, numbers, count }: Scored, first: number): void {
    const [kept, places, most] = [this.#scores, this.#places, this.#scores.length]
    for (let at = 0; at < 2 * count; at += 2) {
      const score = scores[at] ?? 0
      if (score < this.#least) continue
      if (this.#kept === most) {
        this.#drop()
        if (score < this.#least) continue
      }
      kept[this.#kept] = score
      places[this.#kept] = first + (numbers[at + 1] ?? 0)
      this.#kept += 1
    }
  }

  /** Places of the best, in the order in which they were added. */
  best(): Float64Array {
    if (this.#kept > this.#wanted) this.#drop()
    return this.#places.slice(0, this.#kept)
  }

  /** Keeps the best; of those that are as good as the last of them, the earliest. */
  #drop(): void {
    const sorted = this.#scores.slice(0, this.#kept).sort()
    const least = sorted[this.#kept - this.#wanted] ?? 0
    let better = 0
    for (let at = this.#kept - 1; at >= 0 && (sorted[at] ?? 0) > least; at -= 1) better += 1
    let equal = this.#wanted - better
    let kept = 0
    for (let at = 0; at < this.#kept; at += 1) {
      const score = this.#scores[at] ?? 0
      if (score < least || (score === least && equal-- <= 0)) continue
      this.#scores[kept] = score
      this.#places[kept] = this.#places[at] ?? 0
      kept += 1
    }
    this.#kept = kept
    this.#least = least
  }
}
