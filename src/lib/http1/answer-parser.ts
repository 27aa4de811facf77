/**
 * One answer out of the bytes of a connection, in whatever pieces they come. Pure: it knows no
 * socket and no time. Interim answers (1xx) are skipped.
 */
import { parseAnswerHead, type AnswerHead } from './answer-head.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { MalformedAnswer } from './failure.ts'

const cr = 0x0d
const lf = 0x0a
const emptyLineBytes = 4
const protocolName = 'HTTP/1.'
// Servers send one 100 or a few 102 and 103; one that sends no end of them never answers.
const interimMax = 16

export class AnswerParser {
  readonly #headBytesMax: number
  #bodiless: boolean
  #head: AnswerHead | null = null
  /** Pieces of a head that is not complete yet; null for none. */
  #headParts: Buffer[] | null = null
  #headBytes = 0
  #lineBytes = 0
  #lastByte = 0
  #interims = 0
  #lengthLeft = 0
  #chunks: ChunkedDecoder | null = null
  #started = false
  #ended = false
  #excess = false

  /** @param bodiless the answer has no body whatever its head says, because the request was HEAD */
  constructor(headBytesMax: number, bodiless: boolean) {
    this.#headBytesMax = headBytesMax
    this.#bodiless = bodiless
  }

  /** Begins again with the next answer, as if it were new; not after it has thrown. */
  reset(bodiless: boolean): this {
    this.#bodiless = bodiless
    this.#head = null
    this.#headParts = null
    this.#headBytes = 0
    this.#lineBytes = 0
    this.#lastByte = 0
    this.#interims = 0
    this.#lengthLeft = 0
    this.#chunks = null
    this.#started = false
    this.#ended = false
    this.#excess = false
    return this
  }

  /** The head of the final answer, once it is complete. */
  get head(): AnswerHead | null {
    return this.#head
  }

  /** A byte has come. */
  get started(): boolean {
    return this.#started
  }

  /** The answer is complete. */
  get ended(): boolean {
    return this.#ended
  }

  /** Bytes came after the end: the connection cannot be trusted with another request. */
  get excess(): boolean {
    return this.#excess
  }

  /**
   * Takes the next bytes, which become the parser's: a chunked body is decoded in place. Returns
   * what they held of the body, as a part of the same memory, or null. Throws MalformedAnswer,
   * after which the parser must not be used.
   */
  push(bytes: Buffer): Uint8Array | null {
    if (bytes.length === 0) return null
    this.#started = true
    let at = 0
    while (this.#head === null) {
      at = this.#pushHead(bytes, at)
      if (at === -1) return null
    }
    return this.#ended ? this.#noteExcess(bytes, at) : this.#pushBody(bytes, at, this.#head)
  }

  /** Notes that the connection has ended; false when the answer was not complete. */
  end(): boolean {
    if (this.#head?.framing === 'until-close') this.#ended = true
    return this.#ended
  }

  /** Returns the offset after the head's empty line, or -1 when all bytes belong to the head. */
  #pushHead(bytes: Buffer, start: number): number {
    let lineStart = start - this.#lineBytes
    for (let at = bytes.indexOf(lf, start); at !== -1; at = bytes.indexOf(lf, lineStart)) {
      if ((at === start ? this.#lastByte : bytes[at - 1]) !== cr)
        throw new MalformedAnswer('a line of the head does not end with CR LF')
      if (at - lineStart === 1) {
        this.#finishHead(bytes, start, at + 1)
        return at + 1
      }
      lineStart = at + 1
    }
    this.#lineBytes = bytes.length - lineStart
    this.#lastByte = bytes[bytes.length - 1] ?? 0
    this.#collectHead(bytes.subarray(start))
    return -1
  }

  #collectHead(part: Buffer): void {
    if (this.#headBytes < protocolName.length) this.#checkBeginning(part)
    ;(this.#headParts ??= []).push(part)
    this.#countHead(part.length)
  }

  /** A server of another protocol may wait for us after its greeting: it is recognised by its first bytes. */
  #checkBeginning(part: Buffer): void {
    const text = part.toString('latin1', 0, protocolName.length - this.#headBytes)
    if (!protocolName.startsWith(text, this.#headBytes)) throw new MalformedAnswer('this is not an HTTP/1.1 server')
  }

  #countHead(bytes: number): void {
    this.#headBytes += bytes
    if (this.#headBytes > this.#headBytesMax) throw new MalformedAnswer('the head is too long')
  }

  #finishHead(bytes: Buffer, start: number, end: number): void {
    this.#countHead(end - start)
    const head = parseAnswerHead(this.#headText(bytes, start, end), this.#bodiless)
    this.#headParts = null
    this.#lineBytes = 0
    this.#lastByte = 0
    if (head.status >= 200) return this.#begin(head)
    this.#interims += 1
    if (head.status === 101) throw new MalformedAnswer('the server switches to a protocol that was not asked for')
    if (this.#interims > interimMax) throw new MalformedAnswer('there are too many interim answers')
  }

  /** Without the empty line and the line break before it. */
  #headText(bytes: Buffer, start: number, end: number): string {
    if (this.#headParts === null) return bytes.toString('latin1', start, end - emptyLineBytes)
    const whole = Buffer.concat([...this.#headParts, bytes.subarray(start, end)])
    return whole.toString('latin1', 0, whole.length - emptyLineBytes)
  }

  #begin(head: AnswerHead): void {
    this.#head = head
    this.#lengthLeft = head.length
    if (head.framing === 'empty') this.#ended = true
    if (head.framing === 'chunked') this.#chunks = new ChunkedDecoder(this.#headBytesMax)
  }

  #pushBody(bytes: Buffer, at: number, head: AnswerHead): Uint8Array | null {
    if (this.#chunks !== null) {
      const { data, next } = this.#chunks.push(bytes, at)
      this.#ended = this.#chunks.ended
      this.#noteExcess(bytes, next)
      return data
    }
    let end = bytes.length
    if (head.framing === 'length') {
      end = Math.min(at + this.#lengthLeft, end)
      this.#lengthLeft -= end - at
      this.#ended = this.#lengthLeft === 0
      this.#noteExcess(bytes, end)
    }
    return end === at ? null : bytes.subarray(at, end)
  }

  #noteExcess(bytes: Buffer, at: number): null {
    if (at < bytes.length) this.#excess = true
    return null
  }
}
