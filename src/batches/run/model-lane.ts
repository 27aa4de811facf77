/** The lines of one model in this process: those that wait, how many may be under way, and whether the model is there. */
import { fullJitterMs } from '#lib/backoff.ts'
import { FairQueue } from '#lib/fair-queue.ts'
import { AdaptiveWindow } from './adaptive-window.ts'

const pause = { baseMs: 500, maxMs: 60_000 }
const busy = { baseMs: 200, maxMs: 10_000 }

/** A line, and whose it is. */
interface OwnedLine {
  readonly part: { readonly userId: string; readonly isAsync: boolean }
}

export class ModelLane<Line extends OwnedLine> {
  readonly window = new AdaptiveWindow()
  readonly #waiting = new FairQueue<string, Line>(2)
  running = 0
  /** Ids of the upstreams of the model. */
  upstreams: readonly string[] = []
  /** No line is sent before. */
  pausedUntil = Number.NEGATIVE_INFINITY
  /** It is looked at when its pause is over. */
  isAwaited = false
  /** Lines that were answered. */
  answers = 0
  #failuresInRow = 0

  get waiting(): number {
    return this.#waiting.size
  }

  /** The lines of each account wait in a line of their own, async requests ahead of batches. */
  add(line: Line): void {
    this.#waiting.add(line, placeOf(line))
  }

  /** The line whose turn it is; null when none may be sent now. @param live other requests on the model */
  next(now: number, max: number, live: number): Line | null {
    if (this.running >= max || now < this.pausedUntil) return null
    if (this.running === 0) this.window.begin(live)
    // One line at least, so that its batch goes on.
    if (this.running > 0 && this.running + live >= this.window.limit) return null
    return this.#waiting.next() ?? null
  }

  /** Drops a line that waits. */
  remove(line: Line): void {
    this.#waiting.delete(line, placeOf(line))
  }

  answered(tookMs: number, max: number, live: number): void {
    this.window.answered(tookMs, { lines: this.running, live }, max)
    this.answers += 1
    this.#failuresInRow = 0
  }

  /** The model has too much to do. @param live other requests on the model */
  congested(now: number, retryAfterMs: number | null, live: number): void {
    this.window.congested(now, live)
    this.#pause(now, retryAfterMs ?? fullJitterMs(this.#fail(), busy, Math.random))
  }

  /** The model is not there. Calls that failed together count once. */
  down(now: number, retryAfterMs: number | null): void {
    this.window.closed()
    if (now >= this.pausedUntil) this.#pause(now, Math.max(retryAfterMs ?? 0, pauseMs(this.#fail())))
  }

  #fail(): number {
    this.#failuresInRow += 1
    return this.#failuresInRow
  }

  #pause(now: number, ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, now + Math.min(ms, pause.maxMs))
  }
}

function placeOf({ part }: OwnedLine) {
  return { lane: part.userId, level: part.isAsync ? 0 : 1 }
}

/** At least half of the bound, so that a model that is gone is not asked all the time. */
function pauseMs(failure: number): number {
  const bound = Math.min(pause.maxMs, pause.baseMs * 2 ** (failure - 1))
  return bound / 2 + (Math.random() * bound) / 2
}
