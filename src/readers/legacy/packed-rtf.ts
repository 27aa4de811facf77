/** Compressed RTF of Outlook. (MS-OXRTFCP 2024.) */

/** What the window holds before the first byte, 2.1.2.1. */
const prefill =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'
const windowBytes = 4_096
const headBytes = 16
const [compressed, plain] = [0x75465a4c, 0x414c454d]

/** The RTF; null when the bytes are something else. At most `bytesMax` long, whatever its head says. */
export function unpackedRtf(packed: Buffer, bytesMax: number): Uint8Array | null {
  if (packed.length < headBytes) return null
  const kind = packed.readUInt32LE(8)
  if (kind === plain) return packed.subarray(headBytes)
  if (kind !== compressed) return null
  const size = Math.min(packed.readUInt32LE(4), bytesMax, 9 * packed.length)
  return new Unpacking(packed.subarray(headBytes), size).run()
}

/** One pass: flags for eight steps, each a letter or a place in the window that is copied. */
class Unpacking {
  readonly #packed: Buffer
  readonly #window = Buffer.alloc(windowBytes)
  readonly #out: Buffer
  #write: number
  #length = 0
  #at = 0
  #isDone = false

  constructor(packed: Buffer, size: number) {
    this.#packed = packed
    this.#out = Buffer.alloc(size)
    this.#write = this.#window.write(prefill, 'latin1')
  }

  run(): Uint8Array {
    while (this.#goesOn()) {
      const flags = this.#byte()
      for (let bit = 0; bit < 8 && this.#goesOn(); bit += 1) {
        if ((flags & (1 << bit)) === 0) this.#put(this.#byte())
        else this.#copy()
      }
    }
    return this.#out.subarray(0, this.#length)
  }

  #goesOn(): boolean {
    return !this.#isDone && this.#at < this.#packed.length && this.#length < this.#out.length
  }

  #byte(): number {
    const byte = this.#packed[this.#at] ?? 0
    this.#at += 1
    return byte
  }

  /** A reference to the place that is written next ends the text. */
  #copy(): void {
    const reference = 256 * this.#byte() + this.#byte()
    let from = reference >> 4
    this.#isDone = from === this.#write
    for (let left = this.#isDone ? 0 : (reference & 15) + 2; left > 0; left -= 1) {
      this.#put(this.#window[from] ?? 0)
      from = (from + 1) % windowBytes
    }
  }

  #put(byte: number): void {
    this.#window[this.#write] = byte
    this.#write = (this.#write + 1) % windowBytes
    if (this.#length >= this.#out.length) return
    this.#out[this.#length] = byte
    this.#length += 1
  }
}
