/**
 * The syntax of RTF: groups, control words, and bytes of text. Knows no control word but `\bin`, which changes how the
 * bytes behind it are read. Source: Rich Text Format Specification 1.9.1, "RTF Syntax".
 */

/** What a file is made of; called in the order of the file. */
export interface RtfEvents {
  open(): void
  close(): void
  /** A control word or symbol without its backslash; `value` is its number, null without one. */
  control(word: string, value: number | null): void
  byte(value: number): void
}

const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const apostrophe = 0x27
const minus = 0x2d
const longestWord = 32
const longestNumber = 10

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)
}
function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** Reads a whole file; any bytes are taken. */
export function readTokens(bytes: Uint8Array, events: RtfEvents): void {
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0
    if (byte === backslash) {
      at = readControl(bytes, at + 1, events)
      continue
    }
    at += 1
    if (byte === openBrace) events.open()
    else if (byte === closeBrace) events.close()
    else if (byte !== 0x0a && byte !== 0x0d && byte !== 0) events.byte(byte)
  }
}

/** Reads what is behind a backslash and answers where the next token begins. */
function readControl(bytes: Uint8Array, start: number, events: RtfEvents): number {
  const first = bytes[start]
  if (first === undefined) return start
  if (first === apostrophe) {
    const code = Number.parseInt(String.fromCharCode(bytes[start + 1] ?? 0, bytes[start + 2] ?? 0), 16)
    if (!Number.isNaN(code)) events.byte(code)
    return start + 3
  }
  if (isLetter(first)) return readWord(bytes, start, events)
  events.control(first === 0x0a || first === 0x0d ? 'par' : String.fromCharCode(first), null)
  return start + 1
}

function readWord(bytes: Uint8Array, start: number, events: RtfEvents): number {
  const wordEnd = endOf(bytes, start, longestWord, isLetter)
  const word = String.fromCharCode(...bytes.subarray(start, wordEnd))
  const digits = bytes[wordEnd] === minus ? wordEnd + 1 : wordEnd
  const numberEnd = endOf(bytes, digits, longestNumber, isDigit)
  const number = Number.parseInt(String.fromCharCode(...bytes.subarray(wordEnd, numberEnd)), 10)
  const value = Number.isNaN(number) ? null : number
  // One space belongs to the word.
  const end = bytes[numberEnd] === 0x20 ? numberEnd + 1 : numberEnd
  if (word === 'bin') return end + Math.max(0, value ?? 0)
  events.control(word, value)
  return end
}

function endOf(bytes: Uint8Array, start: number, most: number, belongs: (byte: number) => boolean): number {
  let end = start
  while (end < bytes.length && end - start < most && belongs(bytes[end] ?? 0)) end += 1
  return end
}
