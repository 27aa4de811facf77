/**
 * LZMA and LZMA2 unpacked. Own code: the platform has neither, and the packages for it are copies of a program of 2010
 * that nobody keeps. (LZMA specification, Igor Pavlov, 2015; the layout of LZMA2 chunks as in xz, doc/lzma-file-format.)
 *
 * Invariant: writes no more than `unpackedBytes`, reads nothing before the beginning of its output, and ends with
 * ReadFailure `damaged` for any other input.
 */
import { ReadFailure } from '../reading.ts'

const topValue = 2 ** 24
const probabilityBits = 11
const half = 1 << (probabilityBits - 1)
const moveBits = 5
const [literalStates, states, posStatesMax] = [7, 12, 16]
const [lengthStates, slots, alignBits, firstModelSlot, endModelSlot] = [4, 6, 4, 4, 14]
const shortestMatch = 2

/** One LZMA stream with its five bytes of properties, as 7z stores them. */
export function unpackLzma(packed: Buffer, properties: Buffer, unpackedBytes: number): Buffer {
  const out = Buffer.alloc(unpackedBytes)
  const decoder = new LzmaDecoder(out)
  decoder.setProperties(properties[0] ?? 255)
  decoder.resetState()
  decoder.read(packed, 0)
  decoder.decode(unpackedBytes)
  return out
}

/** Chunks, each with a control byte that says what is reset before it. */
export function unpackLzma2(packed: Buffer, unpackedBytes: number): Buffer {
  const out = Buffer.alloc(unpackedBytes)
  const decoder = new LzmaDecoder(out)
  let at = 0
  for (;;) {
    const control = packed[at]
    if (control === undefined) throw damaged()
    if (control === 0) break
    if (control >= 0x80) at = packedChunk(decoder, { packed, at, control })
    else {
      if (control > 2 || at + 3 > packed.length) throw damaged()
      const size = packed.readUInt16BE(at + 1) + 1
      if (control === 1) decoder.forget()
      decoder.copy(packed.subarray(at + 3, at + 3 + size), size)
      at += 3 + size
    }
  }
  if (decoder.position !== unpackedBytes) throw damaged()
  return out
}

function packedChunk(
  decoder: LzmaDecoder,
  { packed, at, control }: { readonly packed: Buffer; readonly at: number; readonly control: number },
): number {
  if (at + 6 > packed.length) throw damaged()
  const unpackedSize = ((control & 0x1f) << 16) + packed.readUInt16BE(at + 1) + 1
  const packedSize = packed.readUInt16BE(at + 3) + 1
  const reset = (control >> 5) & 3
  let start = at + 5
  if (reset === 3) decoder.forget()
  if (reset >= 2) {
    decoder.setProperties(packed[start] ?? 255, lzma2LiteralBits)
    start += 1
  }
  if (reset >= 1) decoder.resetState()
  if (start + packedSize > packed.length) throw damaged()
  decoder.read(packed.subarray(start, start + packedSize), 0)
  decoder.decode(unpackedSize)
  return start + packedSize
}

function probabilities(count: number): Uint16Array {
  return new Uint16Array(count).fill(half)
}

/** Lengths of matches: 2 to 9 and 10 to 17 by position, 18 to 273 for all. */
interface LengthModel {
  readonly choice: Uint16Array
  readonly low: Uint16Array
  readonly mid: Uint16Array
  readonly high: Uint16Array
}

function lengthModel(): LengthModel {
  return {
    choice: probabilities(2),
    low: probabilities(posStatesMax << 3),
    mid: probabilities(posStatesMax << 3),
    high: probabilities(256),
  }
}

/** The state of one stream; its output is its dictionary. */
class LzmaDecoder {
  readonly #out: Buffer
  #position = 0
  /** Where what may be referred to begins. */
  #start = 0
  #in: Buffer = Buffer.alloc(0)
  #at = 0
  #range = 0
  #code = 0
  #literalContext = 0
  #literalPosition = 0
  #positionMask = 0
  #hasProperties = false
  #state = 0
  #repeats: [number, number, number, number] = [0, 0, 0, 0]
  #literals = probabilities(0)
  #isMatch = probabilities(0)
  #isRepeat = probabilities(0)
  #isRepeat0 = probabilities(0)
  #isRepeat1 = probabilities(0)
  #isRepeat2 = probabilities(0)
  #isRepeat0Long = probabilities(0)
  #slots = probabilities(0)
  #special = probabilities(0)
  #align = probabilities(0)
  #lengths = lengthModel()
  #repeatLengths = lengthModel()

  constructor(out: Buffer) {
    this.#out = out
  }

  get position(): number {
    return this.#position
  }

  /** What comes does not refer to what was written so far. */
  forget(): void {
    this.#start = this.#position
  }

  /** @param literalBitsMax bounds the memory that a reset costs, of which LZMA2 may have one for each chunk */
  setProperties(properties: number, literalBitsMax = Infinity): void {
    if (properties >= 9 * 5 * 5) throw damaged()
    this.#literalContext = properties % 9
    this.#literalPosition = Math.floor(properties / 9) % 5
    if (this.#literalContext + this.#literalPosition > literalBitsMax) throw damaged()
    this.#positionMask = (1 << Math.floor(properties / 45)) - 1
    this.#hasProperties = true
  }

  resetState(): void {
    if (!this.#hasProperties) throw damaged()
    this.#state = 0
    this.#repeats = [0, 0, 0, 0]
    this.#literals = probabilities(0x300 << (this.#literalContext + this.#literalPosition))
    this.#isMatch = probabilities(states * posStatesMax)
    this.#isRepeat = probabilities(states)
    this.#isRepeat0 = probabilities(states)
    this.#isRepeat1 = probabilities(states)
    this.#isRepeat2 = probabilities(states)
    this.#isRepeat0Long = probabilities(states * posStatesMax)
    this.#slots = probabilities(lengthStates << slots)
    this.#special = probabilities(128)
    this.#align = probabilities(1 << alignBits)
    this.#lengths = lengthModel()
    this.#repeatLengths = lengthModel()
  }

  /** Begins to read what is packed; its first byte is always zero. */
  read(packed: Buffer, from: number): void {
    if (from + 5 > packed.length || packed[from] !== 0) throw damaged()
    this.#in = packed
    this.#range = 0xffffffff
    this.#code = packed.readUInt32BE(from + 1)
    this.#at = from + 5
  }

  copy(bytes: Buffer, size: number): void {
    if (bytes.length !== size || this.#position + size > this.#out.length) throw damaged()
    bytes.copy(this.#out, this.#position)
    this.#position += size
  }

  /** Decodes so many bytes. */
  decode(bytes: number): void {
    const end = this.#position + bytes
    if (!this.#hasProperties || end > this.#out.length) throw damaged()
    while (this.#position < end) {
      const posState = this.#position & this.#positionMask
      if (this.#bit(this.#isMatch, (this.#state << 4) + posState) === 0) this.#literal()
      else if (!this.#match(posState, end)) break
    }
    if (this.#position !== end) throw damaged()
  }

  #literal(): void {
    const before = this.#position > this.#start ? (this.#out[this.#position - 1] ?? 0) : 0
    const place = (this.#position & ((1 << this.#literalPosition) - 1)) << this.#literalContext
    const base = 0x300 * (place + (before >> (8 - this.#literalContext)))
    let symbol = 1
    if (this.#state >= literalStates) {
      let matched = this.#out[this.#position - this.#repeats[0] - 1] ?? 0
      while (symbol < 0x100) {
        const matchedBit = (matched >> 7) & 1
        matched <<= 1
        const bit = this.#bit(this.#literals, base + ((1 + matchedBit) << 8) + symbol)
        symbol = (symbol << 1) | bit
        if (matchedBit !== bit) break
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, base + symbol)
    this.#out[this.#position] = symbol & 0xff
    this.#position += 1
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6
  }

  /** False at the mark that ends a stream. */
  #match(posState: number, end: number): boolean {
    let length = 0
    if (this.#bit(this.#isRepeat, this.#state) === 0) {
      const [first, second, third] = this.#repeats
      length = this.#length(this.#lengths, posState)
      this.#state = this.#state < literalStates ? 7 : 10
      const distance = this.#distance(length)
      if (distance === 0xffffffff) return false
      this.#repeats = [distance, first, second, third]
    } else {
      const isShort =
        this.#bit(this.#isRepeat0, this.#state) === 0
          ? this.#bit(this.#isRepeat0Long, (this.#state << 4) + posState) === 0
          : this.#takeRepeat()
      if (isShort) {
        this.#state = this.#state < literalStates ? 9 : 11
        length = 1 - shortestMatch
      } else {
        length = this.#length(this.#repeatLengths, posState)
        this.#state = this.#state < literalStates ? 8 : 11
      }
    }
    this.#copyMatch(this.#repeats[0] + 1, length + shortestMatch, end)
    return true
  }

  /** Puts one of the older distances first; never a short match. */
  #takeRepeat(): false {
    const [first, second, third, fourth] = this.#repeats
    if (this.#bit(this.#isRepeat1, this.#state) === 0) this.#repeats = [second, first, third, fourth]
    else if (this.#bit(this.#isRepeat2, this.#state) === 0) this.#repeats = [third, first, second, fourth]
    else this.#repeats = [fourth, first, second, third]
    return false
  }

  #copyMatch(distance: number, length: number, end: number): void {
    if (distance > this.#position - this.#start || this.#position + length > end) throw damaged()
    for (let left = length; left > 0; left -= 1) {
      this.#out[this.#position] = this.#out[this.#position - distance] ?? 0
      this.#position += 1
    }
  }

  #length({ choice, low, mid, high }: LengthModel, posState: number): number {
    if (this.#bit(choice, 0) === 0) return this.#tree(low, posState << 3, 3)
    if (this.#bit(choice, 1) === 0) return 8 + this.#tree(mid, posState << 3, 3)
    return 16 + this.#tree(high, 0, 8)
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length, lengthStates - 1) << slots, slots)
    if (slot < firstModelSlot) return slot
    const bits = (slot >> 1) - 1
    const distance = (2 | (slot & 1)) * 2 ** bits
    if (slot < endModelSlot) return distance + this.#reverseTree(this.#special, distance - slot, bits)
    return distance + this.#direct(bits - alignBits) * (1 << alignBits) + this.#reverseTree(this.#align, 0, alignBits)
  }

  #tree(probs: Uint16Array, base: number, bits: number): number {
    let symbol = 1
    for (let left = bits; left > 0; left -= 1) symbol = (symbol << 1) | this.#bit(probs, base + symbol)
    return symbol - (1 << bits)
  }

  #reverseTree(probs: Uint16Array, base: number, bits: number): number {
    let [symbol, value] = [1, 0]
    for (let at = 0; at < bits; at += 1) {
      const bit = this.#bit(probs, base + symbol)
      symbol = (symbol << 1) | bit
      value |= bit << at
    }
    return value
  }

  #direct(bits: number): number {
    let value = 0
    for (let left = bits; left > 0; left -= 1) {
      this.#range = this.#range >>> 1
      const isOne = this.#code >= this.#range
      if (isOne) this.#code -= this.#range
      this.#normalize()
      value = value * 2 + (isOne ? 1 : 0)
    }
    return value
  }

  #bit(probs: Uint16Array, at: number): 0 | 1 {
    const probability = probs[at] ?? half
    const bound = (this.#range >>> probabilityBits) * probability
    if (this.#code < bound) {
      this.#range = bound
      probs[at] = probability + (((1 << probabilityBits) - probability) >> moveBits)
      this.#normalize()
      return 0
    }
    this.#range -= bound
    this.#code -= bound
    probs[at] = probability - (probability >> moveBits)
    this.#normalize()
    return 1
  }

  #normalize(): void {
    if (this.#range >= topValue) return
    const byte = this.#in[this.#at]
    // A few bytes are read ahead of the last symbol; much more is missing from a file that was cut off.
    if (byte === undefined && this.#at > this.#in.length + readAheadMax) throw damaged()
    this.#range = (this.#range << 8) >>> 0
    this.#code = ((this.#code << 8) | (byte ?? 0)) >>> 0
    this.#at += 1
  }
}

const readAheadMax = 5
/** As the format has it (lzma-file-format.txt of xz, LZMA2). */
const lzma2LiteralBits = 4

function damaged(): ReadFailure {
  return new ReadFailure('damaged', 'The archive is cut off or damaged. Pack it again.')
}
