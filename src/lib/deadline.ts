/**
 * Waits that end after a while, many on one timer: one of its own for each would cost more than what is waited for,
 * which has almost always come by the next look.
 */

/** How late an end may be noticed. Milliseconds. */
const resolutionMs = 25

/** A promise that has to settle before this is disposed or the time is over. */
export class Deadline<T> implements Disposable {
  readonly #endsAt: number
  readonly #late: () => Error
  readonly #outcome = Promise.withResolvers<T>()

  /** @param late makes the reason of the rejection after this time */
  constructor(promise: Promise<T>, ms: number, late: () => Error) {
    this.#endsAt = performance.now() + ms
    this.#late = late
    waiting.add(this)
    timer ??= setInterval(look, resolutionMs)
    promise.then(this.#outcome.resolve, this.#outcome.reject)
  }

  /** Settles as the promise does, or rejects when that takes too long. */
  get outcome(): Promise<T> {
    return this.#outcome.promise
  }

  [Symbol.dispose](): void {
    waiting.delete(this)
  }

  /** For the timer. */
  check(now: number): void {
    if (now < this.#endsAt) return
    waiting.delete(this)
    this.#outcome.reject(this.#late())
  }
}

const waiting = new Set<Pick<Deadline<unknown>, 'check'>>()
let timer: ReturnType<typeof setInterval> | null = null

function look(): void {
  const now = performance.now()
  for (const deadline of waiting) deadline.check(now)
  if (waiting.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}
