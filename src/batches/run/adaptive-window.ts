/**
 * How many requests one model does at once, lines of batches and live ones together: found out by trying, as TCP finds out how fast a path is
 * (additive increase, multiplicative decrease, after a start that doubles; RFC 5681). It grows while it is used to the
 * full, and is halved when the model says that it is too much; then it soon has most of what it had, as in CUBIC
 * (RFC 9438), and tries for more in small steps: each try that is too much is paid by live requests.
 */

/** As the mean of some recent answers: new ones count for a tenth. */
const newestWeight = 0.1
const startLimit = 4
/** Part of what was too much that is reached again in large steps. */
const soonAgain = 0.88
/** Rounds of answers for one request more, where the model has had too much before. */
const roundsPerTry = 6
/** So far above what was too much, the model can do more than it could, and each round has one request more. */
const farAbove = 1.25

/** Requests on a model: those of batches, and all others. */
export interface UnderWay {
  readonly lines: number
  readonly live: number
}

export class AdaptiveWindow {
  #limit = startLimit
  /** Below it the window doubles with each round of answers. */
  #threshold = Number.POSITIVE_INFINITY
  /** What was too much. */
  #ceiling = Number.POSITIVE_INFINITY
  #usualMs = 0
  #shrunkAt = Number.NEGATIVE_INFINITY

  /** The moment at which what was sent before the last decrease has been answered. */
  get settlesAt(): number {
    return this.#shrunkAt + this.#usualMs
  }

  /** Requests that may be under way, at least one. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** A line was answered after `tookMs`, while so many lines and live requests were under way; `max` is the most lines. */
  answered(tookMs: number, { lines, live }: UnderWay, max: number): void {
    this.#usualMs += newestWeight * (tookMs - this.#usualMs)
    // One that is not used to the full says nothing about more.
    if (lines + live < this.limit) return
    this.#limit = Math.max(1, Math.min(max + live, this.#limit + this.#more(lines)))
  }

  /** What one answer adds while so many lines are under way. */
  #more(lines: number): number {
    if (this.#limit < this.#threshold) return 1
    const rounds = this.#limit > this.#ceiling * farAbove ? 1 : roundsPerTry
    return 1 / (rounds * Math.max(1, lines))
  }

  /** Lines begin beside so many live requests, which the model bears already; one line where it has had too much. */
  begin(live: number): void {
    const hadTooMuch = Number.isFinite(this.#threshold)
    this.#limit = Math.max(this.#limit, (hadTooMuch ? 1 : startLimit) + live)
  }

  /** The model has too much to do: the lines' part of it is halved. What was sent before it could tell counts once. */
  congested(now: number, live: number): void {
    if (now - this.#shrunkAt < this.#usualMs) return
    this.#shrunkAt = now
    const lines = Math.max(1, this.#limit - live)
    this.#ceiling = this.#limit
    this.#threshold = live + lines * soonAgain
    this.#limit = Math.max(1, live + lines / 2)
  }

  /** So many of the requests wait at the model: as many fewer would keep it as busy. */
  queued(waiting: number, { lines, live }: UnderWay): void {
    this.#limit = Math.max(1, Math.min(this.#limit, lines + live) - waiting)
    this.#threshold = this.#limit
    this.#ceiling = lines + live
  }

  /** The model is gone: one line at a time finds out whether it is back. */
  closed(): void {
    this.#threshold = Math.max(2, this.#limit / 2)
    this.#limit = 1
  }
}
