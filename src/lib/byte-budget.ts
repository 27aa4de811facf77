/**
 * A bound on the bytes that are in memory at once. Requests for bytes wait in order until they are free. An owner may
 * have at most half of the bound while it waits for more, so that one account leaves room for the others. A request
 * that is larger than its bound is granted when the owner has nothing else, so that none waits for ever.
 */

/** Bytes that were granted; disposing gives them back, once. */
export interface Grant extends Disposable {
  /** Gives back what is beyond this. */
  shrinkTo(bytes: number): void
}

interface Waiter {
  readonly bytes: number
  readonly owner: string
  readonly granted: PromiseWithResolvers<void>
}

export class ByteBudget {
  readonly #max: number
  /** In the order of their coming. */
  readonly #waiting = new Set<Waiter>()
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Bytes that are granted. */
  get used(): number {
    return this.#used
  }

  /** Requests for bytes that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves when the bytes are granted. Rejects with the signal's reason. */
  async take(bytes: number, owner: string, signal: AbortSignal): Promise<Grant> {
    signal.throwIfAborted()
    const waiter: Waiter = { bytes, owner, granted: Promise.withResolvers() }
    this.#waiting.add(waiter)
    this.#grant()
    const giveUp = (): void => {
      if (!this.#waiting.delete(waiter)) return
      waiter.granted.reject(signal.reason)
      this.#grant()
    }
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await waiter.granted.promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
    return this.#grantOf(waiter)
  }

  #grantOf({ bytes, owner }: Waiter): Grant {
    let held = bytes
    const shrinkTo = (left: number): void => {
      if (left >= held) return
      this.#count(owner, left - held)
      held = left
      this.#grant()
    }
    return { shrinkTo, [Symbol.dispose]: () => shrinkTo(0) }
  }

  #grant(): void {
    for (const waiter of this.#waiting) {
      const { bytes, owner, granted } = waiter
      const ownUse = this.#usedBy.get(owner) ?? 0
      // Those behind it may go first: it waits for requests of its owner, not for theirs.
      if (ownUse > 0 && ownUse + bytes > this.#max / 2) continue
      if (this.#used > 0 && this.#used + bytes > this.#max) return
      this.#waiting.delete(waiter)
      this.#count(owner, bytes)
      granted.resolve()
    }
  }

  #count(owner: string, bytes: number): void {
    this.#used += bytes
    const ownUse = (this.#usedBy.get(owner) ?? 0) + bytes
    if (ownUse === 0) this.#usedBy.delete(owner)
    else this.#usedBy.set(owner, ownUse)
  }
}
