/**
 * Counts requests in flight, per account and model and per cap (cap-queue.ts), and enforces their limits.
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

export interface InflightLimiter extends CapSlots {
  /** A slot, or null when `limit` are taken already. `Infinity` only counts. */
  acquire(accountId: string, modelId: string, limit: number): Slot | null | Promise<Slot | null>
  /** Slots taken now, over all accounts, by model id. */
  inUseByModel(): ReadonlyMap<string, number>
}

/** The slots of caps, for those who wait for them elsewhere. */
export interface CapSlots {
  /** A slot of this key that this process may use now, or null. */
  take(key: string, limit: number): Slot | null
  /** Whether `take` would give one. */
  hasRoom(key: string, limit: number): boolean
  /** Asks the other processes for this many more slots of a key that `take` refused. */
  ask(key: string, want: number): void
  /** One listener. */
  onMore(listener: MoreListener): void
}

/**
 * Called when `take` may give a slot of this key that it refused before. @param isFree another process has given one up:
 * `ask` may get it
 */
export type MoreListener = (key: string, isFree: boolean) => void

const prefix = 'inflight '

/** Keys that were made lately, by account and model: each map hashes a new text once more. */
const keys = new Map<string, Map<string, string>>()
const keysMax = 10_000
let keysKept = 0

/** Names the slots of an account on a model. */
export function inflightKey(accountId: string, modelId: string): string {
  return keys.get(accountId)?.get(modelId) ?? newKey(accountId, modelId)
}

function newKey(accountId: string, modelId: string): string {
  if (keysKept >= keysMax) {
    keys.clear()
    keysKept = 0
  }
  keysKept += 1
  const key = `${prefix}${modelId} ${accountId}`
  keys.getOrInsertComputed(accountId, () => new Map<string, string>()).set(modelId, key)
  return key
}

/** The counts of accounts on models among these, added up by model id. */
export function sumByModel(counts: Iterable<readonly [key: string, count: number]>): ReadonlyMap<string, number> {
  const byModel = new Map<string, number>()
  for (const [key, count] of counts) {
    if (!key.startsWith(prefix)) continue
    const modelId = key.slice(prefix.length, key.indexOf(' ', prefix.length))
    byModel.set(modelId, (byModel.get(modelId) ?? 0) + count)
  }
  return byModel
}

export class LocalInflightLimiter implements InflightLimiter {
  readonly #counts = new Map<string, number>()
  #listener: MoreListener | null = null

  acquire(accountId: string, modelId: string, limit: number): Slot | null {
    return this.take(inflightKey(accountId, modelId), limit)
  }

  take(key: string, limit: number): Slot | null {
    const inUse = (this.#counts.get(key) ?? 0) + 1
    if (inUse > limit) return null
    this.#counts.set(key, inUse)
    return new HeldSlot(inUse, limit, this, key)
  }

  hasRoom(key: string, limit: number): boolean {
    return (this.#counts.get(key) ?? 0) < limit
  }

  /** There are no others. */
  ask(): void {}

  onMore(listener: MoreListener): void {
    this.#listener = listener
  }

  inUseByModel(): ReadonlyMap<string, number> {
    return sumByModel(this.#counts)
  }

  /** For the slots: one of this key is given back. */
  release(key: string): void {
    const left = (this.#counts.get(key) ?? 0) - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
    this.#listener?.(key, false)
  }
}

/** Takes slots back. */
export interface SlotOwner {
  release(key: string): void
}

/** A slot that is given back to its owner, once. */
export class HeldSlot implements Slot {
  readonly inUse: number
  readonly limit: number
  readonly #key: string
  #owner: SlotOwner | null

  constructor(inUse: number, limit: number, owner: SlotOwner, key: string) {
    this.inUse = inUse
    this.limit = limit
    this.#owner = owner
    this.#key = key
  }

  [Symbol.dispose](): void {
    const owner = this.#owner
    this.#owner = null
    owner?.release(this.#key)
  }
}
