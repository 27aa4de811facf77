/** Finds where a JSON object that arrives in fragments ends, without keeping or parsing it. */

const quote = 0x22
const backslash = 0x5c
const opening = new Set([0x7b, 0x5b])
const closing = new Set([0x7d, 0x5d])

/** Reads the text of one object and notices its end. */
export class JsonEnd {
  #depth = 0
  #started = false
  #inString = false
  #escaped = false

  /** Whether the outermost brace was closed. */
  get reached(): boolean {
    return this.#started && this.#depth === 0
  }

  /** Takes the next fragment of the text. */
  read(fragment: string): void {
    for (let at = 0; at < fragment.length; at += 1) {
      const code = fragment.charCodeAt(at)
      if (this.#inString) this.#readInString(code)
      else if (code === quote) this.#inString = true
      else if (opening.has(code)) {
        this.#started = true
        this.#depth += 1
      } else if (closing.has(code)) this.#depth -= 1
    }
  }

  #readInString(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === backslash) this.#escaped = true
    else if (code === quote) this.#inString = false
  }
}
