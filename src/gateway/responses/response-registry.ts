/**
 * What this gateway knows of the answers that providers hold: whose they are and where. It is in the
 * database before a client learns the id of an answer, so that the next request finds it on every
 * replica and after a restart. What the database refuses is kept in memory and written later.
 *
 * Only requests for such answers read or write here; no other request waits for the database.
 */
import { ApiError } from '#errors/api-error.ts'
import type { StoredResponse, StoredResponseKey, StoredResponseStore } from '#store/stored-responses.ts'

export interface ResponseBookOptions {
  readonly store: StoredResponseStore
  /** Told of each write that failed. */
  readonly onError: (error: unknown) => void
  /** Rows that are kept in memory while the database takes none. */
  readonly unwrittenMax?: number
}

export type Holder =
  | { readonly kind: 'found'; readonly response: StoredResponse }
  /** `others`: somebody else's has this id. */
  | { readonly kind: 'unknown'; readonly others: boolean }

export class ResponseBook {
  readonly #store: StoredResponseStore
  readonly #onError: (error: unknown) => void
  readonly #unwrittenMax: number
  readonly #unwritten = new Map<string, StoredResponse>()
  #writing: Promise<void> | null = null

  constructor({ store, onError, unwrittenMax = 10_000 }: ResponseBookOptions) {
    this.#store = store
    this.#onError = onError
    this.#unwrittenMax = unwrittenMax
  }

  /** Resolves when the row is in the database, or when that has failed and it waits for `flush`. Rejects never. */
  remember(response: StoredResponse): Promise<void> {
    if (this.#unwritten.size < this.#unwrittenMax) this.#unwritten.set(nameOf(response), response)
    // What comes in the same turn of the loop shares a transaction, and so a wait for the disk.
    return (this.#writing ??= this.#writeNext().catch(this.#onError))
  }

  /** What is known of this id to this user. Answers 503 by throwing when the database cannot be read. */
  async find(key: StoredResponseKey): Promise<Holder> {
    const unwritten = this.#unwritten.get(nameOf(key))
    if (unwritten !== undefined) return { kind: 'found', response: unwritten }
    const rows = await this.#store.listOfId(key.id).catch((cause: unknown) => {
      throw new ApiError('store_unavailable', { cause })
    })
    const response = rows.find(({ userId }) => userId === key.userId)
    return response === undefined ? { kind: 'unknown', others: rows.length > 0 } : { kind: 'found', response }
  }

  /** True once for each answer whose tokens were still to be counted; false, too, while that cannot be known. Rejects never. */
  async takeUsage(key: StoredResponseKey): Promise<boolean> {
    try {
      await this.flush()
      return await this.#store.takeUsage(key)
    } catch (error) {
      this.#onError(error)
      return false
    }
  }

  /** The provider holds it no longer. */
  async forget(key: StoredResponseKey): Promise<void> {
    this.#unwritten.delete(nameOf(key))
    await this.#store.delete(key)
  }

  /** Writes what could not be written before; rejects when it still cannot be. */
  async flush(): Promise<void> {
    const rows = [...this.#unwritten.values()]
    if (rows.length === 0) return
    await this.#store.putMany(rows)
    for (const row of rows) if (this.#unwritten.get(nameOf(row)) === row) this.#unwritten.delete(nameOf(row))
  }

  async #writeNext(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#writing = null
    await this.flush()
  }
}

/** Neither part can hold the space. */
function nameOf({ id, userId }: StoredResponseKey): string {
  return `${userId} ${id}`
}
