/**
 * How many lines are under way at once on one model: found out by trying, as TCP finds out how fast a path is
 * (additive increase, multiplicative decrease, after a start that doubles; RFC 5681). It grows while it is used to the
 * full, and is halved when the model says that it is too much.
 */

/** As the mean of some recent answers: new ones count for a tenth. */
const newestWeight = 0.1
const startLimit = 4

export class AdaptiveWindow {
  #limit = startLimit
  /** Below it the window doubles with each round of answers. */
  #threshold = Number.POSITIVE_INFINITY
  #usualMs = 0
  #shrunkAt = Number.NEGATIVE_INFINITY

  /** Lines that may be under way, at least one. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** A line was answered after `tookMs`, while `running` were under way. */
  answered(tookMs: number, running: number, max: number): void {
    this.#usualMs += newestWeight * (tookMs - this.#usualMs)
    // One that is not used to the full says nothing about more.
    if (running < this.limit) return
    const more = this.#limit < this.#threshold ? 1 : 1 / this.#limit
    this.#limit = Math.max(1, Math.min(max, this.#limit + more))
  }

  /** The model has too much to do. What was sent before it could tell counts once. */
  congested(now: number): void {
    if (now - this.#shrunkAt < this.#usualMs) return
    this.#shrunkAt = now
    this.#limit = Math.max(1, this.#limit / 2)
    this.#threshold = this.#limit
  }

  /** So many requests wait at the model: as many lines fewer would keep it as busy. */
  queued(waiting: number, running: number): void {
    this.#limit = Math.max(1, Math.min(this.#limit, running) - waiting)
    this.#threshold = this.#limit
  }

  /** The model is gone: one line at a time finds out whether it is back. */
  closed(): void {
    this.#threshold = Math.max(2, this.#limit / 2)
    this.#limit = 1
  }
}
