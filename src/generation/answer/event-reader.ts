/** Cuts the bytes of an answer into the data of its server-sent events, in whatever pieces they come. */
import { nextEventEnd, singleDataSpan } from '#lib/event-bytes.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d

export class EventReader {
  readonly #eventBytesMax: number
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax
  }

  /** An event has grown past the limit. */
  get oversized(): boolean {
    return this.#heldBytes > this.#eventBytesMax
  }

  /** The data of each event that is complete with these bytes; events without data are left out. */
  push(bytes: Uint8Array): readonly string[] {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    // Data is JSON, which has no line end of its own: a piece without one completes nothing.
    if (piece.indexOf(lineFeed) < 0 && piece.indexOf(carriageReturn) < 0) {
      this.#hold(piece)
      return []
    }
    const heldBytes = this.#heldBytes
    const all = heldBytes === 0 ? piece : Buffer.concat([...this.#held, piece])
    this.#held = []
    this.#heldBytes = 0
    const found: string[] = []
    let from = 0
    // An event that ended among the held bytes would be gone, so the first search begins near their end.
    let end = nextEventEnd(all, Math.max(0, heldBytes - 4))
    while (end > 0) {
      const data = dataOf(all.subarray(from, end))
      if (data !== null) found.push(data)
      from = end
      end = nextEventEnd(all, from)
    }
    if (from < all.length) this.#hold(all.subarray(from))
    return found
  }

  /** The data of a last event that has no empty line behind it; null when nothing is left. */
  rest(): string | null {
    const all = Buffer.concat([...this.#held, Buffer.from('\n\n')])
    this.#held = []
    return dataOf(all)
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece)
    this.#heldBytes += piece.length
  }
}

/** Several lines of data are joined by line ends, as the specification has it. */
function dataOf(event: Buffer): string | null {
  const span = singleDataSpan(event)
  if (span !== null) return event.toString('utf8', span.start, span.end)
  const lines = [...event.toString('utf8').matchAll(/^data(?:: ?(.*))?$/gm)].map((match) => match[1] ?? '')
  return lines.length === 0 ? null : lines.join('\n')
}
