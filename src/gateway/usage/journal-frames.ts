/**
 * The format of a journal file: frames, one for each write. A frame is a line with the number of its first record, how
 * many there are, their bytes and a checksum of all of it, and then the records, a line each. The last frame may be torn.
 */

const mark = 'usage'
const headPattern = /^(usage (\d+) (\d+) (\d+)) ([0-9a-f]+)$/
/** Longer than any head. */
const headMax = 100

export interface Frame {
  /** Number of the first record. */
  readonly first: number
  readonly count: number
  /** Each with its line feed. */
  readonly text: string
}

/** A frame of these lines. */
export function frameOf(first: number, count: number, text: string): Uint8Array {
  const body = Buffer.from(text)
  const facts = `${mark} ${first} ${count} ${body.byteLength}`
  const head = Buffer.from(`${facts} ${checksum(facts, body)}\n`)
  return Buffer.concat([head, body])
}

/** The frames of a file, up to the first that is not complete and unchanged. */
export function* framesIn(file: Buffer): Generator<Frame> {
  let start = 0
  for (;;) {
    const end = file.indexOf(0x0a, start)
    if (end < 0 || end - start > headMax) return
    const head = headPattern.exec(file.toString('latin1', start, end))
    if (head === null) return
    const [, facts = '', firstText, countText, bytesText, sum] = head
    const [first, count, bytes] = [Number(firstText), Number(countText), Number(bytesText)]
    const body = file.subarray(end + 1, end + 1 + bytes)
    if (body.byteLength < bytes || checksum(facts, body) !== sum) return
    const text = body.toString()
    if (text.split('\n').length - 1 !== count) return
    yield { first, count, text }
    start = end + 1 + bytes
  }
}

/** Fewer and longer frames: those whose records follow each other are one, up to this many records. */
export function* joined(frames: Iterable<Frame>, countMax: number): Generator<Frame> {
  let last: Frame | null = null
  for (const frame of frames) {
    if (last !== null && last.first + last.count === frame.first && last.count + frame.count <= countMax) {
      last = { first: last.first, count: last.count + frame.count, text: last.text + frame.text }
    } else {
      if (last !== null) yield last
      last = frame
    }
  }
  if (last !== null) yield last
}

function checksum(facts: string, body: Uint8Array): string {
  return Bun.hash.crc32(body, Bun.hash.crc32(facts)).toString(16)
}
