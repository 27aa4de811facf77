/** A bar that shows how far a long command is, in one line of a terminal; nothing where no person watches. */
import type { Output } from '../output.ts'

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const barWidth = 24
const eraseLine = '\r\u001b[K'

export class ProgressLine implements Disposable {
  readonly #terminal: Terminal | null
  #text = ''

  constructor({ json }: Pick<Output, 'json'>, terminal: Terminal = process.stderr) {
    this.#terminal = !json && terminal.isTTY === true ? terminal : null
  }

  /** Shows the bar and beside it the text, as far as the line is wide. */
  show(done: number, total: number, text: string): void {
    if (this.#terminal === null) return
    const filled = total === 0 ? 0 : Math.floor((done / total) * barWidth)
    const line = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${text}`
    const shown = line.slice(0, Math.max(0, (this.#terminal.columns ?? 80) - 1))
    if (shown === this.#text) return
    this.#text = shown
    this.#terminal.write(eraseLine + shown)
  }

  clear(): void {
    if (this.#text !== '') this.#terminal?.write(eraseLine)
    this.#text = ''
  }

  [Symbol.dispose](): void {
    this.clear()
  }
}
