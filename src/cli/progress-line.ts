/** A bar that shows how far a long command is, in one line of a terminal; nothing where no person watches. */
import type { Output } from './output.ts'

const width = 24

export class ProgressLine implements Disposable {
  readonly #isShown: boolean
  #text = ''

  constructor({ json }: Output) {
    this.#isShown = !json && process.stderr.isTTY
  }

  show(what: string, done: number, total: number): void {
    if (!this.#isShown) return
    const filled = total === 0 ? 0 : Math.round((done / total) * width)
    const text = `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} ${what}`
    if (text === this.#text) return
    this.#text = text
    process.stderr.write(`\r\u001b[K${text}`)
  }

  clear(): void {
    if (this.#text !== '') process.stderr.write('\r\u001b[K')
    this.#text = ''
  }

  [Symbol.dispose](): void {
    this.clear()
  }
}
