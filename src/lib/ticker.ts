/**
 * One interval for all time-outs of seconds and more. A timer of its own for every request and
 * every event costs more than the work it guards; adding to a set does not.
 */

/** Called about every `resolutionMs`. Must not throw. An object with this method costs no closure. */
export type Tick = (() => void) | { tick(): void }

/** Calls it. */
export function runTick(tick: Tick): void {
  if (typeof tick === 'function') tick()
  else tick.tick()
}

export class Ticker implements Disposable {
  readonly #ticks = new Set<Tick>()
  readonly #interval: ReturnType<typeof setInterval>

  /** @param resolutionMs how late a time-out may be noticed */
  constructor(resolutionMs = 50) {
    this.#interval = setInterval(() => {
      for (const tick of this.#ticks) runTick(tick)
    }, resolutionMs)
    // A process with nothing but ticks left has nothing left to do.
    this.#interval.unref()
  }

  add(tick: Tick): void {
    this.#ticks.add(tick)
  }

  delete(tick: Tick): void {
    this.#ticks.delete(tick)
  }

  /** How many ticks are registered: zero when no request is under way. */
  get size(): number {
    return this.#ticks.size
  }

  [Symbol.dispose](): void {
    clearInterval(this.#interval)
    this.#ticks.clear()
  }
}
