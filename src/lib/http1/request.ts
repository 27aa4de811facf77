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
  readonly connectTimeoutMs?: number | undefined
  /** Has the method, the path and what else many requests to this target have in common; its fields replace those of `headers`. */
  readonly template?: HeadTemplate | undefined
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

/** The part of a head that many requests to one target have in common: checked and written once. */
export class HeadTemplate {
  readonly method: string
  readonly path: string
  readonly #headers: Readonly<Record<string, string>>
  #text: string | null = null

  constructor(method: string, path: string, headers: Readonly<Record<string, string>>) {
    this.method = method
    this.path = path
    this.#headers = headers
  }

  /** Whether it has a field of this name. */
  has(name: string): boolean {
    return Object.hasOwn(this.#headers, name)
  }

  /** The beginning of the head; always for the same target. Throws as `encodeRequest` does. */
  textFor(target: Target): string {
    if (this.#text !== null) return this.#text
    const head: string[] = []
    beginHead(head, { method: this.method, path: this.path, headers: this.#headers }, target)
    for (const name in this.#headers) addField(head, name, this.#headers[name])
    return (this.#text = head.join(''))
  }
}

function requestHead(request: Http1Request, target: Target): string {
  const { method, headers, body, template } = request
  // A list that is joined once: adding to a text makes another each time.
  const head: string[] = []
  if (template === undefined) beginHead(head, request, target)
  else head.push(template.textFor(target))
  for (const name in headers) if (template?.has(name) !== true) addField(head, name, headers[name])
  if (body !== null) head.push(bodyField(body))
  else if (!bodilessMethods.has(method)) head.push('content-length: 0\r\n')
  head.push('\r\n')
  return head.join('')
}

/** The request line, and the fields that depend on where it goes. */
function beginHead(
  head: string[],
  { method, path, headers }: Pick<Http1Request, 'method' | 'path' | 'headers'>,
  { host, forwarded }: Target,
): void {
  if (!methodToken.test(method)) throw new TypeError('the method is not a token in capitals')
  if (!originForm.test(path))
    throw new TypeError('the path does not begin with "/" or has a character that is not allowed')
  head.push(method, ' ', forwarded ? forwarded.base : '', path, ' HTTP/1.1\r\n')
  head.push('host: ', fieldText('host', headers['host'] ?? host), '\r\n')
  if (forwarded?.authorization)
    head.push('proxy-authorization: ', fieldText('proxy-authorization', forwarded.authorization.reveal()), '\r\n')
}

function addField(head: string[], name: string, value: string | undefined): void {
  if (!ownFields.has(name)) head.push(name, ': ', fieldText(name, value), '\r\n')
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
