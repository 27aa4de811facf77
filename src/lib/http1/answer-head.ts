/**
 * Status line and header fields of an answer, and the framing of the body that they announce.
 * Strict where leniency would let two parties see two different messages.
 * Grammar and framing rules: RFC 9112 sections 4 to 6, RFC 9110 section 5.
 */
import { MalformedAnswer } from './failure.ts'

/** How the end of a body is found; `until-close` means at the end of the connection. */
export type Framing = 'empty' | 'length' | 'chunked' | 'until-close'

export interface AnswerHead {
  readonly status: number
  /** Names in lower case; a repeated field is joined with ", ". Has no prototype. */
  readonly headers: Readonly<Record<string, string>>
  readonly framing: Framing
  /** Bytes of the body when the framing is `length`, else 0. */
  readonly length: number
  /** The server means to keep the connection open after this answer. */
  readonly persistent: boolean
  /** How long it says it will keep it, in seconds; null when it does not say. */
  readonly keepSeconds: number | null
}

const zero = 0x30
const statusLine = /^HTTP\/1\.[01] [1-5]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n|$)/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/
// Fifteen digits stay below the largest integer that a number holds exactly.
const digits = /^\d{1,15}$/
const closeOption = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const keepAliveOption = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i
const keepTimeout = /(?:^|[,;\t ])timeout[\t ]*=[\t ]*"?(\d{1,6})/i

// Servers use few names, always written alike. Finding one here costs less than checking it, and a
// key that is the same string each time makes the record of headers twice as fast.
const knownNames = new Map<string, string>()
const knownNamesMax = 256

/**
 * Reads a head, given without its final empty line. `bodiless` says that the request forbids the
 * answer a body (HEAD). Throws MalformedAnswer.
 */
export function parseAnswerHead(text: string, bodiless: boolean): AnswerHead {
  if (!statusLine.test(text)) throw new MalformedAnswer('the status line is not one of HTTP/1.1')
  let lineEnd = text.indexOf('\r\n')
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  while (lineEnd !== -1) {
    const start = lineEnd + 2
    lineEnd = text.indexOf('\r\n', start)
    addField(headers, text, start, lineEnd === -1 ? text.length : lineEnd)
  }
  // The digits stand where the pattern has them: a match would be a list of texts.
  const status = (text.charCodeAt(9) - zero) * 100 + (text.charCodeAt(10) - zero) * 10 + text.charCodeAt(11) - zero
  return frame(status, text.charCodeAt(7) !== zero, headers, bodiless)
}

function addField(headers: Record<string, string>, text: string, start: number, end: number): void {
  const colon = text.indexOf(':', start)
  // A folded line begins with a space, which no name does, so folding is refused here too; and a
  // colon found beyond the line makes a name that has a line break in it.
  const name = text.slice(start, Math.max(colon, start))
  const key = knownNames.get(name) ?? newName(name)
  const value = withoutOuterBlanks(text, colon + 1, end)
  if (!fieldValue.test(value)) throw new MalformedAnswer('a header field has a control character in its value')
  const earlier = headers[key]
  headers[key] = earlier === undefined ? value : `${earlier}, ${value}`
}

/** The name in lower case, checked. */
function newName(name: string): string {
  if (!token.test(name)) throw new MalformedAnswer('a header field has no valid name')
  const key = name.toLowerCase()
  if (knownNames.size < knownNamesMax) knownNames.set(name, key)
  return key
}

/** String.trim would take more than the space and tab that the grammar allows. */
function withoutOuterBlanks(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function frame(
  status: number,
  isVersion11: boolean,
  headers: Readonly<Record<string, string>>,
  bodiless: boolean,
): AnswerHead {
  const coding = headers['transfer-encoding']
  const lengths = headers['content-length']
  if (coding !== undefined && lengths !== undefined) throw new MalformedAnswer('the body is framed twice')
  if (coding !== undefined && (!isVersion11 || coding.toLowerCase() !== 'chunked')) {
    throw new MalformedAnswer('the transfer-encoding is not chunked')
  }
  const length = lengths === undefined ? 0 : contentLength(lengths)
  const framing = bodiless || isBodiless(status) ? 'empty' : framingOf(coding, lengths, length)
  const keepAlive = headers['keep-alive']
  const keep = keepAlive === undefined ? null : keepTimeout.exec(keepAlive)
  return {
    status,
    headers,
    framing,
    length: framing === 'length' ? length : 0,
    persistent: framing !== 'until-close' && isPersistent(headers['connection'], isVersion11),
    keepSeconds: keep === null ? null : Number(keep[1]),
  }
}

function isBodiless(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

function framingOf(coding: string | undefined, lengths: string | undefined, length: number): Framing {
  if (coding !== undefined) return 'chunked'
  if (lengths === undefined) return 'until-close'
  return length === 0 ? 'empty' : 'length'
}

function isPersistent(connection: string | undefined, isVersion11: boolean): boolean {
  if (connection === undefined) return isVersion11
  return !closeOption.test(connection) && (isVersion11 || keepAliveOption.test(connection))
}

/** A list of the same length is one length: some proxies join a doubled field. */
function contentLength(text: string): number {
  return digits.test(text) ? Number(text) : repeatedLength(text)
}

function repeatedLength(text: string): number {
  const [first = '', ...others] = text.split(',').map((part) => withoutOuterBlanks(part, 0, part.length))
  if (!digits.test(first) || others.some((other) => other !== first)) {
    throw new MalformedAnswer('the content-length is not one number')
  }
  return Number(first)
}
