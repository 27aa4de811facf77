/** Finds where a JSON object that arrives in pieces ends, without keeping or parsing it. */

const quote = 0x22
const backslash = 0x5c
const opening = new Set([0x7b, 0x5b])
const closing = new Set([0x7d, 0x5d])

export class JsonEnd {
  #depth = 0
  #begun = false
  #inString = false
  #escaped = false

  /** True once the outermost brace has been closed. */
  get reached(): boolean {
    return this.#begun && this.#depth === 0
  }

  /** Takes the next piece of the text. */
  read(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at)
      if (this.#inString) this.#readInString(code)
      else if (code === quote) this.#inString = true
      else if (opening.has(code)) {
        this.#begun = true
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
