/** The lines of an input file, one by one: never more of it in memory than one line and one read. */

export interface InputLine {
  /** From 1, blank lines included. */
  readonly line: number
  /** Where it begins in the file. */
  readonly position: number
  /** Without the line end; null for a line that is longer than the limit. */
  readonly bytes: Buffer<ArrayBuffer> | null
}

const readBytes = 262_144
const lineFeed = 0x0a
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** All lines of a file that are not blank. */
export async function* inputLines(file: Blob, lineBytesMax: number): AsyncGenerator<InputLine, void> {
  let line = 1
  let begun = new BegunLine(0, lineBytesMax)
  for (let at = 0; at < file.size; at += readBytes) {
    const read = Buffer.from(await file.slice(at, at + readBytes).arrayBuffer())
    let from = at === 0 && read.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
    if (from > 0) begun = new BegunLine(from, lineBytesMax)
    for (let end = read.indexOf(lineFeed, from); end >= 0; end = read.indexOf(lineFeed, from)) {
      begun.add(read.subarray(from, end))
      yield* begun.whole(line)
      line += 1
      from = end + 1
      begun = new BegunLine(at + from, lineBytesMax)
    }
    begun.add(read.subarray(from))
  }
  yield* begun.whole(line)
}

/** The lines that are not blank of a piece of a file, which begins with this line. */
export function linesOfPart(part: Buffer<ArrayBuffer>, firstLine: number): readonly InputLine[] {
  const lines: InputLine[] = []
  let line = firstLine
  for (let from = 0; from < part.length; line += 1) {
    const next = part.indexOf(lineFeed, from)
    const end = next < 0 ? part.length : next
    const bytes = part.subarray(from, end)
    if (!isBlank(bytes)) lines.push({ line, position: from, bytes })
    from = end + 1
  }
  return lines
}

/** A line of which more may come. */
class BegunLine {
  readonly #position: number
  readonly #bytesMax: number
  readonly #pieces: Buffer<ArrayBuffer>[] = []
  #bytes = 0

  constructor(position: number, bytesMax: number) {
    this.#position = position
    this.#bytesMax = bytesMax
  }

  add(piece: Buffer<ArrayBuffer>): void {
    this.#bytes += piece.length
    if (this.#bytes <= this.#bytesMax && piece.length > 0) this.#pieces.push(piece)
  }

  /** The line, unless it is blank. */
  *whole(line: number): Generator<InputLine, void> {
    const position = this.#position
    if (this.#bytes > this.#bytesMax) {
      yield { line, position, bytes: null }
      return
    }
    const [first, ...more] = this.#pieces
    if (first === undefined) return
    const bytes = more.length === 0 ? first : Buffer.concat(this.#pieces)
    if (!isBlank(bytes)) yield { line, position, bytes }
  }
}

/** A long line is not blank: its beginning decides. */
function isBlank(bytes: Buffer): boolean {
  return bytes.length <= 1024 && bytes.toString('latin1').trim() === ''
}
