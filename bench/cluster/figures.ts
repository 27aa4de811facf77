/** What went right and wrong, counted. */

export class Figures {
  readonly #counts = new Map<string, number>()
  readonly #examples = new Map<string, string>()

  count(what: string, example?: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
    if (example !== undefined && !this.#examples.has(what)) this.#examples.set(what, example)
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  /** Rows of a table: what, how often, the first example. */
  lines(): readonly string[] {
    return [...this.#counts]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([what, times]) => {
        const example = this.#examples.get(what)
        return `| ${what} | ${times} |${example === undefined ? '' : ` ${example.replaceAll('\n', ' ').slice(0, 160)}`}`
      })
  }
}
