/**
 * When each key was last used, written behind: a request only notes the time in memory, and a loop
 * writes what has changed about once a minute and at the stop.
 */
import type { KeyTouch } from '#store/identity/keys.ts'

export class LastUsed {
  #touched = new Map<string, number>()
  readonly #write: (touches: readonly KeyTouch[]) => Promise<void>

  constructor(write: (touches: readonly KeyTouch[]) => Promise<void>) {
    this.#write = write
  }

  /** @param at milliseconds since 1970 */
  touch(keyId: string, at: number): void {
    this.#touched.set(keyId, at)
  }

  /** Writes the times noted since the last flush; keeps them for the next when the store refuses. */
  async flush(): Promise<void> {
    if (this.#touched.size === 0) return
    const touched = this.#touched
    this.#touched = new Map()
    try {
      await this.#write([...touched].map(([keyId, lastUsedAt]) => ({ keyId, lastUsedAt })))
    } catch (error) {
      for (const [keyId, at] of touched) if (!this.#touched.has(keyId)) this.#touched.set(keyId, at)
      throw error
    }
  }
}
