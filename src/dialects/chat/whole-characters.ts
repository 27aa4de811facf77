/**
 * Characters that a server has cut in two. A character beyond U+FFFF is two units of UTF-16, and servers that cut there
 * send each half in a chunk of its own; a half cannot be written in UTF-8, on which clients in several languages fail.
 */

/** Holds the first half of a character back until the second comes; one for each stream. */
export class WholeCharacters {
  /** First halves, by what they are the end of. */
  readonly #halves = new Map<string, string>()

  /** The text that can go out now. @param name what the text continues, for example `text` or a call */
  of(name: string, text: string): string {
    if (text === '' || (this.#halves.size === 0 && !endsInHalf(text))) return text
    const all = (this.#halves.get(name) ?? '') + text
    this.#halves.delete(name)
    if (!endsInHalf(all)) return all
    this.#halves.set(name, all.slice(-1))
    return all.slice(0, -1)
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd8_00 && last <= 0xdb_ff
}
