/**
 * Counts requests in flight per account and model, and enforces the limit.
 *
 * A slot belongs to the request that took it, which gives it back by disposing it, once, however the
 * request ends: nothing counts down by hand. The limiter here is for a single process and answers at once;
 * that of several (shared-inflight.ts) answers with a promise when it has to ask the others.
 */

/** Disposing gives the slot back; a second time does nothing. */
export interface Slot extends Disposable {
  /** Requests in flight in this process for this account and model, this one included, when the slot was taken. */
  readonly inUse: number
  /** `Infinity` when it was only counted. */
  readonly limit: number
}

export interface InflightLimiter {
  /** A slot, or null when `limit` are taken already. `Infinity` only counts. */
  acquire(accountId: string, modelId: string, limit: number): Slot | null | Promise<Slot | null>
  /** Slots taken now, over all accounts, by model id. */
  inUseByModel(): ReadonlyMap<string, number>
}

export class LocalInflightLimiter implements InflightLimiter {
  readonly #counts = new Map<string, number>()

  acquire(accountId: string, modelId: string, limit: number): Slot | null {
    const key = `${modelId} ${accountId}`
    const inUse = (this.#counts.get(key) ?? 0) + 1
    if (inUse > limit) return null
    this.#counts.set(key, inUse)
    return new HeldSlot(inUse, limit, () => this.#release(key))
  }

  inUseByModel(): ReadonlyMap<string, number> {
    const byModel = new Map<string, number>()
    for (const [key, count] of this.#counts) {
      const modelId = key.slice(0, key.indexOf(' '))
      byModel.set(modelId, (byModel.get(modelId) ?? 0) + count)
    }
    return byModel
  }

  #release(key: string): void {
    const left = (this.#counts.get(key) ?? 0) - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
  }
}

/** A slot that is given back by a function, once. */
export class HeldSlot implements Slot {
  readonly inUse: number
  readonly limit: number
  #release: (() => void) | null

  constructor(inUse: number, limit: number, release: () => void) {
    this.inUse = inUse
    this.limit = limit
    this.#release = release
  }

  [Symbol.dispose](): void {
    const release = this.#release
    this.#release = null
    release?.()
  }
}
