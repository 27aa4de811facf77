/** A wait that ends at a time or at a ring, whichever comes first. */
export class Wake {
  #rung = false
  #end: (() => void) | null = null

  /** Ends the wait under way, or the next one when there is none. */
  ring(): void {
    this.#rung = true
    this.#end?.()
  }

  /** Resolves after the time, or at once when it rang since the last wait. One caller at a time. */
  async wait(ms: number): Promise<void> {
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      this.#end = resolve
      await promise
      clearTimeout(timer)
      this.#end = null
    }
    this.#rung = false
  }
}
