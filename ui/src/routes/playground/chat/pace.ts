/**
 * Shows a value that changes faster than a page can be drawn: the newest one, not each one. The pause between two is a few times
 * what the last one took, so a long answer never takes all of the browser's time.
 */

export interface PaceOptions<Value> {
  readonly show: (value: Value) => void
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
  /** Calls back after some milliseconds, after what was begun before. */
  readonly later?: (call: () => void, ms: number) => void
}

/** Twenty-five times a second is smooth for text. */
const pauseMinMs = 40
const pauseMaxMs = 1000
/** Drawing takes at most a quarter of the time. */
const pausesPerShow = 3

export class Pace<Value> {
  readonly #show: (value: Value) => void
  readonly #now: () => number
  readonly #later: (call: () => void, ms: number) => void
  #latest: { readonly value: Value } | null = null
  #state: 'idle' | 'drawing' | 'pausing' = 'idle'

  constructor({
    show,
    now = () => performance.now(),
    later = (call, ms) => void setTimeout(call, ms),
  }: PaceOptions<Value>) {
    this.#show = show
    this.#now = now
    this.#later = later
  }

  /** Shows the value now, or the newest one as soon as it is time. */
  push(value: Value): void {
    this.#latest = { value }
    if (this.#state === 'idle') this.flush()
  }

  /** Shows the newest value if it is not shown yet. */
  flush(): void {
    if (this.#latest === null) return
    const { value } = this.#latest
    this.#latest = null
    const begunAt = this.#now()
    const isFirst = this.#state === 'idle'
    this.#show(value)
    if (!isFirst) return
    this.#state = 'drawing'
    // What is drawn for the value comes first.
    this.#later(() => this.#pause(this.#now() - begunAt), 0)
  }

  #pause(tookMs: number): void {
    this.#state = 'pausing'
    this.#later(
      () => {
        this.#state = 'idle'
        this.flush()
      },
      Math.min(pauseMaxMs, Math.max(pauseMinMs, tookMs * pausesPerShow)),
    )
  }
}
