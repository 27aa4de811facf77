/**
 * Who owns the responses that providers store, and which provider stores each. A row is in the database
 * before a client learns the id of its response, so that the next request finds it on every replica and
 * after a restart. Rows that the database refuses stay in memory and are written later.
 *
 * Only requests for stored responses read or write here; no other request waits for the database.
 */
import { ApiError } from '#errors/api-error.ts'
import type { StoredResponse, StoredResponseKey, StoredResponseStore } from '#store/stored-responses.ts'

export interface ResponseRegistryOptions {
  readonly store: StoredResponseStore
  /** Called for each write that failed. */
  readonly onError: (error: unknown) => void
  /** Most rows in memory while the database takes none. */
  readonly unwrittenMax?: number
}

export type StoredLookup =
  | { readonly kind: 'found'; readonly response: StoredResponse }
  /** `ownedByOther`: another user owns something with this id. */
  | { readonly kind: 'unknown'; readonly ownedByOther: boolean }

export class ResponseRegistry {
  readonly #store: StoredResponseStore
  readonly #onError: (error: unknown) => void
  readonly #unwrittenMax: number
  readonly #unwritten = new Map<string, StoredResponse>()
  #writing: Promise<void> | null = null

  constructor({ store, onError, unwrittenMax = 10_000 }: ResponseRegistryOptions) {
    this.#store = store
    this.#onError = onError
    this.#unwrittenMax = unwrittenMax
  }

  /** Resolves when the row is in the database, or when that has failed and the row waits for `flush`. Never rejects. */
  register(response: StoredResponse): Promise<void> {
    if (this.#unwritten.size < this.#unwrittenMax) this.#unwritten.set(keyOf(response), response)
    // Rows of the same turn of the loop share a transaction, and so one wait for the disk.
    return (this.#writing ??= this.#writeNext().catch(this.#onError))
  }

  /** The user's own row of this id. Answers 503 by throwing when the database cannot be read. */
  async find(key: StoredResponseKey): Promise<StoredLookup> {
    const unwritten = this.#unwritten.get(keyOf(key))
    if (unwritten !== undefined) return { kind: 'found', response: unwritten }
    const rows = await this.#store.listOfId(key.id).catch((cause: unknown) => {
      throw new ApiError('store_unavailable', { cause })
    })
    const response = rows.find(({ userId }) => userId === key.userId)
    return response === undefined ? { kind: 'unknown', ownedByOther: rows.length > 0 } : { kind: 'found', response }
  }

  /** True once for each response whose tokens are still to be counted; false, too, when the database does not answer. Never rejects. */
  async claimUsage(key: StoredResponseKey): Promise<boolean> {
    try {
      await this.flush()
      return await this.#store.takeUsage(key)
    } catch (error) {
      this.#onError(error)
      return false
    }
  }

  /** The provider does not store it any more. */
  async remove(key: StoredResponseKey): Promise<void> {
    this.#unwritten.delete(keyOf(key))
    await this.#store.delete(key)
  }

  /** Writes the rows that could not be written before. Rejects when they still cannot be. */
  async flush(): Promise<void> {
    const rows = [...this.#unwritten.values()]
    if (rows.length === 0) return
    await this.#store.putMany(rows)
    for (const row of rows) if (this.#unwritten.get(keyOf(row)) === row) this.#unwritten.delete(keyOf(row))
  }

  async #writeNext(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#writing = null
    await this.flush()
  }
}

/** Neither part can contain a space. */
function keyOf({ id, userId }: StoredResponseKey): string {
  return `${userId} ${id}`
}
