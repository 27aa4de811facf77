/**
 * Takes the chunked coding off a body. Extensions and trailers are checked for their form, bounded
 * and dropped. Grammar: RFC 9112 section 7.1.
 */
import { MalformedAnswer } from './failure.ts'

type State =
  | 'size'
  | 'extension-blank'
  | 'extension'
  | 'size-lf'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'trailer'
  | 'trailer-name'
  | 'trailer-value'
  | 'trailer-lf'
  | 'last-lf'
  | 'end'

const cr = 0x0d
const lf = 0x0a
// Twelve hexadecimal digits stay below the largest integer that a number holds exactly.
const sizeDigitsMax = 12

export class ChunkedDecoder {
  readonly #overheadBytesMax: number
  #state: State = 'size'
  #size = 0
  #sizeDigits = 0
  /** Bytes of extensions and trailers so far: they carry nothing, so a long answer may not hold many. */
  #overheadBytes = 0

  /** @param overheadBytesMax bound on all extensions and trailers of the body together */
  constructor(overheadBytesMax: number) {
    this.#overheadBytesMax = overheadBytesMax
  }

  /** The last chunk and its trailers have been read. */
  get ended(): boolean {
    return this.#state === 'end'
  }

  /**
   * Decodes in place from `at` to the end of the bytes, which become the decoder's: all
   * data in them comes out as one part, so that many small chunks cost no more than one. Throws
   * MalformedAnswer.
   */
  push(bytes: Buffer, at: number): { readonly data: Uint8Array | null; readonly next: number } {
    let from = 0
    let to = 0
    let next = at
    while (next < bytes.length && this.#state !== 'end') {
      if (this.#state !== 'data') {
        this.#step(bytes[next] ?? 0)
        next += 1
        continue
      }
      const end = Math.min(next + this.#size, bytes.length)
      if (to === 0) {
        from = next
        to = end
      } else {
        bytes.copyWithin(to, next, end)
        to += end - next
      }
      this.#size -= end - next
      if (this.#size === 0) this.#state = 'data-cr'
      next = end
    }
    return { data: to === 0 ? null : bytes.subarray(from, to), next }
  }

  /** One byte outside of a chunk's data. */
  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
        return this.#stepSize(byte)
      case 'extension-blank':
        if (byte === 0x3b) this.#state = 'extension'
        else if (byte !== 0x20 && byte !== 0x09) throw malformed('a chunk size is followed by something else')
        return this.#countOverhead()
      case 'extension':
        return this.#stepText(byte, 'size-lf')
      case 'size-lf':
        this.#expect(byte, lf, this.#size === 0 ? 'trailer' : 'data')
        this.#sizeDigits = 0
        return
      case 'data-cr':
        return this.#expect(byte, cr, 'data-lf')
      case 'data-lf':
        return this.#expect(byte, lf, 'size')
      default:
        return this.#stepTrailers(byte)
    }
  }

  /** One byte after the last chunk. */
  #stepTrailers(byte: number): void {
    switch (this.#state) {
      case 'trailer':
        if (byte === cr) this.#state = 'last-lf'
        else this.#stepName(byte, true)
        return
      case 'trailer-name':
        return this.#stepName(byte, false)
      case 'trailer-value':
        return this.#stepText(byte, 'trailer-lf')
      case 'trailer-lf':
        return this.#expect(byte, lf, 'trailer')
      default:
        return this.#expect(byte, lf, 'end')
    }
  }

  #stepSize(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit
      this.#sizeDigits += 1
      if (this.#sizeDigits > sizeDigitsMax) throw malformed('a chunk size is too large')
      return
    }
    if (this.#sizeDigits === 0) throw malformed('a chunk has no size')
    if (byte === cr) this.#state = 'size-lf'
    else if (byte === 0x3b) this.#state = 'extension'
    else if (byte === 0x20 || byte === 0x09) this.#state = 'extension-blank'
    else throw malformed('a chunk size is not a hexadecimal number')
  }

  /** Free text up to the end of its line. */
  #stepText(byte: number, after: State): void {
    if (byte === cr) {
      this.#state = after
      return
    }
    if ((byte < 0x20 && byte !== 0x09) || byte === 0x7f)
      throw malformed('an extension or trailer has a control character')
    this.#countOverhead()
  }

  #stepName(byte: number, first: boolean): void {
    if (byte === 0x3a && !first) this.#state = 'trailer-value'
    else if (isTokenByte(byte)) this.#state = 'trailer-name'
    else throw malformed('a trailer has no valid name')
    this.#countOverhead()
  }

  #expect(byte: number, expected: number, after: State): void {
    if (byte !== expected) throw malformed('a chunk or its size line does not end where it should')
    this.#state = after
  }

  #countOverhead(): void {
    this.#overheadBytes += 1
    if (this.#overheadBytes > this.#overheadBytesMax) throw malformed('the chunk extensions or trailers are too long')
  }
}

function malformed(message: string): MalformedAnswer {
  return new MalformedAnswer(message)
}

/** The value of a hexadecimal digit, or -1. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function isTokenByte(byte: number): boolean {
  if ((byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a)) return true
  return "!#$%&'*+-.^_`|~".includes(String.fromCharCode(byte))
}
