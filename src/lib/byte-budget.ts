/**
 * A bound on what is in memory at once: a caller that needs bytes waits, in order, until they are free. A
 * wish larger than the whole bound is granted alone, so that nothing waits for ever.
 */

interface Waiter {
  readonly bytes: number
  readonly granted: PromiseWithResolvers<void>
}

export class ByteBudget {
  readonly #max: number
  readonly #waiting: Waiter[] = []
  #used = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Resolves when the bytes are granted; disposing gives them back, once. Rejects with the signal's reason. */
  async take(bytes: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const waiter: Waiter = { bytes, granted: Promise.withResolvers() }
    this.#waiting.push(waiter)
    this.#grant()
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(waiter)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      waiter.granted.reject(signal.reason)
      this.#grant()
    }
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await waiter.granted.promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
    return this.#held(bytes)
  }

  #held(bytes: number): Disposable {
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        this.#used -= bytes
        this.#grant()
      },
    }
  }

  #grant(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#used > 0 && this.#used + next.bytes > this.#max) return
      this.#waiting.shift()
      this.#used += next.bytes
      next.granted.resolve()
    }
  }
}
