/**
 * Between the prompts that are being answered and the one client that reads: a prompt that puts something
 * in waits until it has been taken, so each prompt has at most one read of its upstream in here, and
 * a client that does not read stops them all.
 */
export class Outbox {
  #pending: Uint8Array[] = []
  #taken = Promise.withResolvers<void>()
  #reader: (() => void) | null = null
  #ended = false

  /** Resolves when the reader has taken the bytes; at once when no reader will. */
  put(bytes: Uint8Array): Promise<void> {
    if (this.#ended) return Promise.resolve()
    this.#pending.push(bytes)
    this.#wake()
    return this.#taken.promise
  }

  /** Everything that waits, as soon as there is something; null at the end. One call at a time. */
  async take(): Promise<Uint8Array | null> {
    while (this.#pending.length === 0) {
      if (this.#ended) return null
      await new Promise<void>((resolve) => (this.#reader = resolve))
    }
    const bytes = this.#pending.length === 1 ? this.#pending[0] : Buffer.concat(this.#pending)
    this.#pending = []
    this.#release()
    return bytes ?? null
  }

  /** Nothing more comes. What is inside can still be taken. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** The reader is gone: what is inside is dropped, and no writer waits. */
  drop(): void {
    this.#ended = true
    this.#pending = []
    this.#release()
    this.#wake()
  }

  #release(): void {
    const taken = this.#taken
    this.#taken = Promise.withResolvers()
    taken.resolve()
  }

  #wake(): void {
    const reader = this.#reader
    this.#reader = null
    reader?.()
  }
}
