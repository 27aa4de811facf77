/** The lines of an input file, one by one: never more of it in memory than one line and one read. */

export interface InputLine {
  /** From 1, blank lines included. */
  readonly line: number
  /** Where it begins in the file. */
  readonly position: number
  /** Without the line end; null for a line that is longer than the limit. */
  readonly bytes: Buffer<ArrayBuffer> | null
}

/** Others have their turn between two reads: the lines of one are looked at in some milliseconds. */
const readBytes = 65_536
const blankBytesMax = 1024
const lineFeed = 0x0a
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** All lines of a file that are not blank. */
export async function* inputLines(file: Blob, lineBytesMax: number): AsyncGenerator<InputLine, void> {
  const begun = new BegunLine(lineBytesMax)
  let line = 1
  for (let at = 0; at < file.size; at += readBytes) {
    const read = Buffer.from(await file.slice(at, at + readBytes).arrayBuffer())
    let from = at === 0 && read.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
    for (let end = read.indexOf(lineFeed, from); end >= 0; end = read.indexOf(lineFeed, from)) {
      if (!begun.isEmpty || !isBlank(read, from, end)) {
        begun.add(read.subarray(from, end), at + from)
        yield* begun.take(line)
      }
      line += 1
      from = end + 1
    }
    if (from < read.length) begun.add(read.subarray(from), at + from)
  }
  yield* begun.take(line)
}

/** The lines that are not blank of a piece of a file, which begins with this line. */
export function linesOfPart(part: Buffer<ArrayBuffer>, firstLine: number): readonly InputLine[] {
  const lines: InputLine[] = []
  let line = firstLine
  for (let from = 0; from < part.length; line += 1) {
    const next = part.indexOf(lineFeed, from)
    const end = next < 0 ? part.length : next
    if (!isBlank(part, from, end)) lines.push({ line, position: from, bytes: part.subarray(from, end) })
    from = end + 1
  }
  return lines
}

/** The line that is being read, of which more may come. */
class BegunLine {
  readonly #bytesMax: number
  #pieces: Buffer<ArrayBuffer>[] = []
  #position = 0
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  add(piece: Buffer<ArrayBuffer>, position: number): void {
    if (this.#bytes === 0) this.#position = position
    this.#bytes += piece.length
    if (this.#bytes <= this.#bytesMax) this.#pieces.push(piece)
  }

  /** The line, which is over, unless it is blank; the next one begins. */
  take(line: number): readonly InputLine[] {
    const [bytes, pieces, position] = [this.#bytes, this.#pieces, this.#position]
    this.#bytes = 0
    this.#pieces = []
    if (bytes > this.#bytesMax) return [{ line, position, bytes: null }]
    const [first, ...more] = pieces
    if (first === undefined) return []
    const whole = more.length === 0 ? first : Buffer.concat(pieces)
    return isBlank(whole, 0, whole.length) ? [] : [{ line, position, bytes: whole }]
  }
}

/** Whether a line has nothing but white space. A long line is not blank: it is told to be wrong. */
function isBlank(bytes: Buffer, from: number, end: number): boolean {
  if (end - from > blankBytesMax) return false
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false
  }
  return true
}
