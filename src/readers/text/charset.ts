/**
 * From bytes to text: which character encoding a file is in, and the decoded text.
 *
 * In this order: a byte order mark; UTF-16 by its zero bytes; ISO-2022-JP by its escapes; valid UTF-8, whatever was
 * declared, since text of another encoding practically never is; what was declared (by a mail's header, by the page
 * itself); else a guess by the frequencies of characters, which is told to the user. Invariant: any bytes give a text.
 */
import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'

/** The text of a file, without its byte order mark. */
export interface DecodedText {
  readonly text: string
  /** Label of the WHATWG Encoding Standard. */
  readonly charset: string
  /** A sentence for the user when the encoding was guessed or the text does not keep to it; else null. */
  readonly warning: string | null
}

/** What is known about the encoding from elsewhere. */
export interface CharsetHints {
  /** Named outside of the bytes, for example by a `Content-Type`. */
  readonly declared?: string
  /** The bytes are HTML or XML, which may name their encoding themselves. */
  readonly markup?: boolean
}

const sampleBytes = 4_096
/** HTML Living Standard, 13.2.3.2: pages name their encoding in the first 1024 bytes. Some do so later. */
const declarationBytes = 4_096

/** The encoding that a byte order mark stands for; null without one. */
function markedCharset(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/** UTF-16 of a script with many characters below U+0100, which leaves every second byte zero; null for anything else. */
function utf16ByZeros(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, sampleBytes)
  if (sample.length < 4) return null
  let even = 0
  let odd = 0
  for (let at = 0; at < sample.length; at += 1) {
    if (sample[at] !== 0) continue
    if (at % 2 === 0) even += 1
    else odd += 1
  }
  const half = sample.length / 2
  if (odd > half * 0.3 && even < half * 0.02) return 'utf-16le'
  if (even > half * 0.3 && odd < half * 0.02) return 'utf-16be'
  return null
}

/** Whether the bytes are UTF-16, by their mark or their zero bytes; its many zero bytes make it look like binary data. */
export function isUtf16(bytes: Uint8Array): boolean {
  return (markedCharset(bytes) ?? utf16ByZeros(bytes) ?? '').startsWith('utf-16')
}

/** The label as the Encoding Standard writes it; null when it knows no such encoding. */
function knownCharset(label: string | undefined): string | null {
  if (label === undefined || label === '') return null
  try {
    return decoderOf(label.trim().toLowerCase()).encoding
  } catch {
    return null
  }
}

function declaredInMarkup(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, declarationBytes)).toString('latin1')
  const xml = /^\s{0,100}<\?xml[^>]{1,200}?encoding\s?=\s?["']([\w.:-]{1,40})/.exec(start)
  const meta = /<meta[^>]{1,400}?charset\s?=\s?["']?\s?([\w.:-]{1,40})/i.exec(start)
  const charset = knownCharset(xml?.[1] ?? meta?.[1])
  // A page that could be read this far is not UTF-16, whatever it says.
  return charset?.startsWith('utf-16') === true ? 'utf-8' : charset
}

/** How much is given to the detector, which takes milliseconds for it. */
const guessBytes = 16_384
/** ASCII before the first other byte, which shows the words around it. */
const guessBefore = 256
/** Percent. The detector gives 10 to every East Asian encoding that a few bytes might be in. */
const confidenceMin = 20
const fallback = 'windows-1252'

/** The most probable encoding in which all bytes of a sample are characters. Western Europe's when none is probable. */
function guess(bytes: Uint8Array): string {
  let first = 0
  while (first < bytes.length && (bytes[first] ?? 0) < 0x80) first += 1
  const sample = bytes.subarray(Math.max(0, first - guessBefore), first + guessBytes)
  for (const { name, confidence } of analyse(sample)) {
    if (confidence < confidenceMin) break
    const charset = knownCharset(name)
    if (charset !== null && fits(sample, charset)) return charset
  }
  return fallback
}

/** Whether all bytes are characters of the encoding; the last one may be cut off. */
function fits(sample: Uint8Array, charset: string): boolean {
  return !decoderOf(charset).decode(sample, { stream: true }).includes('\ufffd')
}

const escapes = ['\x1b$B', '\x1b$@']

/** ISO-2022-JP (RFC 1468), which is ASCII with escape sequences that no other text has; null for anything else. */
function escapedCharset(bytes: Uint8Array): string | null {
  const sample = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, guessBytes))
  return escapes.some((escape) => sample.includes(escape)) && fits(sample, 'iso-2022-jp') ? 'iso-2022-jp' : null
}

/** The text of `bytes`. Never throws: what does not fit the encoding becomes U+FFFD. */
export function decodeText(bytes: Uint8Array, hints: CharsetHints = {}): DecodedText {
  const certain =
    markedCharset(bytes) ?? utf16ByZeros(bytes) ?? escapedCharset(bytes) ?? (isUtf8(bytes) ? 'utf-8' : null)
  if (certain !== null) return { text: decode(bytes, certain), charset: certain, warning: null }

  const declared = knownCharset(hints.declared) ?? (hints.markup === true ? declaredInMarkup(bytes) : null)
  if (declared === null) {
    const charset = guess(bytes)
    const warning = `The file does not say which character encoding it is in and is not UTF-8; it was read as ${charset}. If letters are wrong, save it as UTF-8 and import it again.`
    return { text: decode(bytes, charset), charset, warning }
  }
  const text = decode(bytes, declared)
  const warning = text.includes('\ufffd')
    ? `The file says that it is in ${declared}, but some bytes do not fit; these characters are shown as \ufffd.`
    : null
  return { text, charset: declared, warning }
}

/** Bun's types list only a few labels; it takes all of the Encoding Standard and throws RangeError for others. */
function decoderOf(label: string): TextDecoder {
  return new TextDecoder(label as Bun.Encoding)
}

function decode(bytes: Uint8Array, charset: string): string {
  return decoderOf(charset).decode(bytes)
}
