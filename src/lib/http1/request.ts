/** A request as the caller gives it, and as it goes over the wire. */
import type { Cancellation } from '../cancellation.ts'
import type { Secret } from '../secret.ts'

/** A body that is read while it is sent, at the pace of the server that takes it. */
export interface BodyStream {
  /** Bytes in all, which it then must have; null when that is not known: then it goes out in chunks. */
  readonly length: number | null
  /** The next bytes, which must not change any more, or null at the end. A rejection ends the call with its reason. One call at a time. */
  read(): Promise<Uint8Array | null>
}

export interface Http1Request {
  /** A token in capitals. */
  readonly method: string
  /** Path and query as they stand in the request line, percent-encoded. */
  readonly path: string
  /**
   * Names in lower case, values in Latin-1. `host` replaces the origin's own. The fields that
   * frame the message and manage the connection are this client's: given ones are left out.
   */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | BodyStream | null
  /** Ends the call at any time before its last byte; the connection is closed at once. */
  readonly signal: Cancellation
  /** False asks for a connection of its own. */
  readonly reuseConnection: boolean
  /** Bound on making a connection, TLS included; none when left out. */
  readonly connectTimeoutMs?: number
}

const ownFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const methodToken = /^[A-Z]+$/
const originForm = /^\/[\x21-\x7e]*$/
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/
const bodilessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/** A checked request. */
export interface EncodedRequest {
  /** All up to the body, one byte a character. */
  readonly head: string
  readonly body: Uint8Array | null
  /** Follows in place of `body`. */
  readonly stream: BodyStream | null
}

/** A proxy that passes requests on: it is told the whole URL (RFC 9112 section 3.2.2). */
export interface ForwardedTo {
  /** Scheme and authority, which stand in front of the path. */
  readonly base: string
  readonly authorization: Secret | null
}

/** Whom a request is for. */
export interface Target {
  readonly host: string
  readonly forwarded?: ForwardedTo | null
}

/**
 * Throws a TypeError for anything that could end its line early or that the grammar forbids
 * (RFC 9112 sections 3 and 5).
 */
export function encodeRequest(request: Http1Request, target: Target): EncodedRequest {
  const head = requestHead(request, target)
  const { body } = request
  return body === null || body instanceof Uint8Array ? { head, body, stream: null } : { head, body: null, stream: body }
}

function requestHead({ method, path, headers, body }: Http1Request, { host, forwarded }: Target): string {
  if (!methodToken.test(method)) throw new TypeError('the method is not a token in capitals')
  if (!originForm.test(path))
    throw new TypeError('the path does not begin with "/" or has a character that is not allowed')
  // A list that is joined once: adding to a text makes another each time.
  const head = [method, ' ', forwarded ? forwarded.base : '', path, ' HTTP/1.1\r\n']
  head.push('host: ', fieldText('host', headers['host'] ?? host), '\r\n')
  if (forwarded?.authorization)
    head.push('proxy-authorization: ', fieldText('proxy-authorization', forwarded.authorization.reveal()), '\r\n')
  for (const name in headers) {
    if (!ownFields.has(name)) head.push(name, ': ', fieldText(name, headers[name]), '\r\n')
  }
  if (body !== null) head.push(bodyField(body))
  else if (!bodilessMethods.has(method)) head.push('content-length: 0\r\n')
  head.push('\r\n')
  return head.join('')
}

function bodyField(body: Uint8Array | BodyStream): string {
  const length = body instanceof Uint8Array ? body.byteLength : body.length
  return length === null ? 'transfer-encoding: chunked\r\n' : `content-length: ${length}\r\n`
}

/** The value, checked together with its name. The message names no value: it may be a credential. */
function fieldText(name: string, value = ''): string {
  if (!token.test(name)) throw new TypeError('a header name is not a token in lower case')
  if (!fieldValue.test(value)) throw new TypeError(`the header "${name}" has a character that is not allowed`)
  return value
}
