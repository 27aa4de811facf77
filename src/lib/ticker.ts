/**
 * One interval for all time-outs of seconds and more. A timer of its own for every request and
 * every event costs more than the work it guards; a place in a list does not.
 *
 * Objects have a place in a list, not in a set: a set through which thousands pass makes new tables all the time, and each
 * old table keeps what was in it, with all the bytes of its requests, until the next full garbage collection.
 */

/** What ticks without a closure of its own. Its place is the ticker's to write; null before and after. */
export interface Ticking {
  place: number | null
  tick(): void
}

/** Called about every `resolutionMs`. Must not throw. */
export type Tick = (() => void) | Ticking

/** Calls it. */
export function runTick(tick: Tick): void {
  if (typeof tick === 'function') tick()
  else tick.tick()
}

export class Ticker implements Disposable {
  readonly #ticks = new Set<() => void>()
  readonly #places: (Ticking | null)[] = []
  readonly #freePlaces: number[] = []
  readonly #interval: ReturnType<typeof setInterval>

  /** @param resolutionMs how late a time-out may be noticed */
  constructor(resolutionMs = 50) {
    this.#interval = setInterval(() => {
      for (const tick of this.#ticks) tick()
      for (const tick of this.#places) tick?.tick()
    }, resolutionMs)
    // A process with nothing but ticks left has nothing left to do.
    this.#interval.unref()
  }

  add(tick: Tick): void {
    if (typeof tick === 'function') this.#ticks.add(tick)
    else if (tick.place === null) {
      tick.place = this.#freePlaces.pop() ?? this.#places.length
      this.#places[tick.place] = tick
    }
  }

  delete(tick: Tick): void {
    if (typeof tick === 'function') this.#ticks.delete(tick)
    else if (tick.place !== null && this.#places[tick.place] === tick) {
      this.#places[tick.place] = null
      this.#freePlaces.push(tick.place)
      tick.place = null
    }
  }

  /** How many ticks are registered: zero when no request is under way. */
  get size(): number {
    return this.#ticks.size + this.#places.length - this.#freePlaces.length
  }

  [Symbol.dispose](): void {
    clearInterval(this.#interval)
    this.#ticks.clear()
    this.#places.length = 0
    this.#freePlaces.length = 0
  }
}
