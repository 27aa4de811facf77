/**
 * Records of Excel's binary workbooks, and the texts in them, which run on over records that continue others.
 * (MS-XLS 2024, 2.1.4 and 2.5.293.)
 */

export interface BiffRecord {
  readonly type: number
  /** Its own bytes, and those of each record that continues it. */
  readonly parts: readonly Buffer[]
}

const continues = 0x3c

/** The records of a stream, continuations joined to what they continue. What is cut off at the end is left out. */
export function* recordsOf(stream: Buffer): Generator<BiffRecord> {
  let at = 0
  let open: { type: number; parts: Buffer[] } | null = null
  while (at + 4 <= stream.length) {
    const type = stream.readUInt16LE(at)
    const end = at + 4 + stream.readUInt16LE(at + 2)
    const part = stream.subarray(at + 4, end)
    if (type === continues && open !== null) open.parts.push(part)
    else {
      if (open !== null) yield open
      open = { type, parts: [part] }
    }
    at = end
  }
  if (open !== null) yield open
}

/** Reads on over the ends of parts; past the last one everything is zero or empty. */
export class BiffCursor {
  readonly #parts: readonly Buffer[]
  #part = 0
  #at = 0

  constructor(parts: readonly Buffer[], at = 0) {
    this.#parts = parts
    this.#at = at
  }

  get isAtEnd(): boolean {
    return this.#part >= this.#parts.length
  }

  byte(): number {
    this.#advance()
    const value = this.#parts[this.#part]?.[this.#at] ?? 0
    this.#at += 1
    return value
  }

  short(): number {
    return this.byte() + 256 * this.byte()
  }

  skip(bytes: number): void {
    let left = bytes
    while (left > 0 && !this.isAtEnd) {
      const here = Math.min(left, (this.#parts[this.#part]?.length ?? 0) - this.#at)
      this.#at += here
      left -= here
      this.#advance()
    }
  }

  /** A text whose length was read: its kind, then its letters. Each part that it runs on into begins with its kind again. */
  text(length: number): string {
    const flags = this.byte()
    const runs = (flags & 8) === 0 ? 0 : this.short()
    const extra = (flags & 4) === 0 ? 0 : this.short() + 65_536 * this.short()
    const text = this.#letters(length, (flags & 1) !== 0)
    this.skip(4 * runs + extra)
    return text
  }

  #letters(length: number, wideAtFirst: boolean): string {
    let text = ''
    let isWide = wideAtFirst
    let left = length
    while (left > 0) {
      const part = this.#parts[this.#part]
      if (part === undefined) break
      const width = isWide ? 2 : 1
      const here = Math.min(left, Math.floor((part.length - this.#at) / width))
      text += part.toString(isWide ? 'utf16le' : 'latin1', this.#at, this.#at + here * width)
      this.#at += here * width
      left -= here
      if (left === 0) break
      this.#part += 1
      this.#at = 1
      isWide = ((this.#parts[this.#part]?.[0] ?? 0) & 1) !== 0
    }
    return text
  }

  #advance(): void {
    while (this.#part < this.#parts.length && this.#at >= (this.#parts[this.#part]?.length ?? 0)) {
      this.#at -= this.#parts[this.#part]?.length ?? 0
      this.#part += 1
    }
  }
}
